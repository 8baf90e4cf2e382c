#include "app/gui/widgets/translation.h"

#include <filesystem>
#include <fstream>

#include "app/gui/language.h"
#include "tests/support/catch.h"

namespace tidemark::gui {

TEST_CASE("A text is drawn as the table has it, with its own numbers, and else as it is") {
  UseTranslations({{"Memory map", "Speicherkarte"},
                   {"step # of #", "#. von # Schritten"},
                   {"step 7", "der siebte"},
                   {"# events in sight", "# Ereignisse zu sehen"}});
  CHECK(Translated("Memory map") == "Speicherkarte");
  CHECK(Translated("Memory maps") == "Memory maps");
  CHECK(Translated("step 3 of 12") == "3. von 12 Schritten");
  CHECK(Translated("step 7") == "der siebte");
  CHECK(Translated("1,771 events in sight") == "1,771 Ereignisse zu sehen");
  CHECK(Translated("2.5 events in sight, 3.") == "2.5 events in sight, 3.");
  CHECK(Translated("").empty());
  CHECK(TranslatedLabel("Memory map") == "Speicherkarte###Memory map");
  CHECK(TranslatedLabel("Memory map###map") == "Speicherkarte###map");
  CHECK(TranslatedLabel("Layers##1") == "Layers##1");
  for (int i = 0; i < 5'000; ++i) {  // more than are remembered
    const std::string number = std::to_string(i);
    REQUIRE(Translated("step " + number + " of 9") == number + ". von 9 Schritten");
  }
  UseTranslations({});
  CHECK(Translated("Memory map") == "Memory map");
}

TEST_CASE("A star in the table is any words, and what it lacks is translated piece by piece") {
  UseTranslations({{"selected: * (Esc)", "gewählt: * (Esc)"},
                   {"* has # B in *", "In * hat * # B"},
                   {"activation", "Aktivierung"},
                   {"at the peak of step #", "am Gipfel von Schritt #"},
                   {"of block *", "des Blocks *"}});
  CHECK(Translated("selected: conv1 (Esc)") == "gewählt: conv1 (Esc)");
  CHECK(Translated("selected: activation (Esc)") == "gewählt: Aktivierung (Esc)");
  CHECK(Translated("selected:  (Esc") == "selected:  (Esc");
  CHECK(Translated("conv2 has 1,024 B in activation") == "In conv2 hat Aktivierung 1,024 B");
  CHECK(Translated("MB · at the peak of step 4") == "MB · am Gipfel von Schritt 4");
  CHECK(Translated("activation\nof block 7") == "Aktivierung\ndes Blocks 7");
  CHECK(Translated("MB · here\n") == "MB · here\n");
  UseTranslations({});
}

TEST_CASE("A table of texts is a JSON object; without one the window is English") {
  const Result<Translations> texts = TranslationsFromJson(R"({"File": "Datei", "Run": 7, "View": ""})");
  REQUIRE(texts.ok());
  CHECK(*texts == Translations{{"File", "Datei"}});
  CHECK_FALSE(TranslationsFromJson("[]").ok());
  CHECK_FALSE(TranslationsFromJson("{").ok());
  const std::filesystem::path file = std::filesystem::temp_directory_path() / "tidemark-texts-test.json";
  std::filesystem::remove(file);
  CHECK(LoadTranslations(file)->empty());
  std::ofstream(file) << R"({"Help": "Hilfe"})";
  CHECK(LoadTranslations(file)->at("Help") == "Hilfe");
  std::ofstream(file) << "Help";
  CHECK(LoadTranslations(file).error().message.starts_with(file.string() + ": The table of texts is no"));
  std::filesystem::remove(file);
  CHECK_FALSE(LoadTranslations(std::filesystem::temp_directory_path()).ok());  // a folder
}

}  // namespace tidemark::gui
