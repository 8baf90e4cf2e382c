// What the window's tests share: waiting while the window draws, looking at its run, keeping pictures. And
// the tests that fill files of their own.
#pragma once

#include <imgui.h>
#include <imgui_internal.h>
#include <imgui_test_engine/imgui_te_context.h>
#include <imgui_test_engine/imgui_te_engine.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/gui/application.h"
#include "profiler/base/progress.h"
#include "tests/gui/driver.h"

namespace tidemark::gui {

inline constexpr ImGuiPopupFlags kAnyPopup = ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel;

std::filesystem::path& Artefacts();  // where pictures go
const SceneInput& Run();
int64_t CompleteSteps();
// The window goes on drawing while a test waits.
bool WaitUntil(ImGuiTestContext* context, const std::function<bool()>& reached, double seconds = 60);
// Lets time pass on the clock, frame by frame.
void Rest(ImGuiTestContext* context, double seconds);
bool WaitForSteps(ImGuiTestContext* context, int64_t more);
// Of the shown run; none = it has none yet.
std::optional<timeline::Step> LastCompleteStep();
// The latest whole step ran with the settings that are chosen: those before it may have been asked for
// earlier, and run still.
bool WaitForChosenSettings(ImGuiTestContext* context);
int64_t LastPeak();
// Where the window keeps runs that nobody saved.
std::filesystem::path KeptRuns();
void Picture(ImGuiTestContext* context, const char* name);

// learning_steps.cpp
void Teaches(ImGuiTestContext* context);
void OpensALessonByTheMenu(ImGuiTestContext* context);
void PredictsByDrawing(ImGuiTestContext* context);
void WalksThroughAStep(ImGuiTestContext* context);
void WalksThroughAllLessons(ImGuiTestContext* context);
void SharesItsSession(ImGuiTestContext* context);
void StartsALessonsRun(ImGuiTestContext* context);
// selection_steps.cpp
void SelectsEverywhere(ImGuiTestContext* context);
void ListsWhatABridgeStepIs(ImGuiTestContext* context);
void FollowsThePinnedMoment(ImGuiTestContext* context);
void LooksBack(ImGuiTestContext* context);
void FindsMomentsAndNames(ImGuiTestContext* context);
void ShowsBatchSizes(ImGuiTestContext* context);
void StacksByOtherThings(ImGuiTestContext* context);
// rank_steps.cpp
void OpensRanks(ImGuiTestContext* context);
void ShowsOneCard(ImGuiTestContext* context);
void ShowsOneCardLive(ImGuiTestContext* context);
void TrainsOnRanks(ImGuiTestContext* context);
void WatchesRanks(ImGuiTestContext* context);
void RecordsALauncher(ImGuiTestContext* context);
// checkpointing_steps.cpp
void PricesCheckpointing(ImGuiTestContext* context);
// job_steps.cpp
void TellsBesideThePanels(ImGuiTestContext* context);
void CancelsWhatTakesLong(ImGuiTestContext* context);
void CancelsAStart(ImGuiTestContext* context);
void ShowsAProgramThatComesFirst(ImGuiTestContext* context);
// program_steps.cpp
void ShowsAProgram(ImGuiTestContext* context);
void StartsAProgram(ImGuiTestContext* context);
void TakesDialogsInTurn(ImGuiTestContext* context);
void SweepsOverAnOption(ImGuiTestContext* context);
void ShowsSourcesInTrouble(ImGuiTestContext* context);
// shell_steps.cpp
void HidesCategories(ImGuiTestContext* context);
void SwitchesUnits(ImGuiTestContext* context);
void ShowsTheCardsLine(ImGuiTestContext* context);
void LogsWhatHappens(ImGuiTestContext* context);
void GoesIntoTheTreeAndOut(ImGuiTestContext* context);
void SavesPicturesByTheMenu(ImGuiTestContext* context);
void SavesAPanelsPicture(ImGuiTestContext* context);
void CopiesRows(ImGuiTestContext* context);
void ResetsItsLayout(ImGuiTestContext* context);
void GoesByKeys(ImGuiTestContext* context);
void HidesATabsWordsAfterAClick(ImGuiTestContext* context);
void KeepsItsTabsInFront(ImGuiTestContext* context);
// timeline_steps.cpp
void Zooms(ImGuiTestContext* context);
void DragsTheBrush(ImGuiTestContext* context);
void SwitchesTheAxis(ImGuiTestContext* context);
void MeasuresBetweenTwoMoments(ImGuiTestContext* context);
void ShowsWhatIsAlive(ImGuiTestContext* context);
void ListsAllocations(ImGuiTestContext* context);
void ListsEvents(ImGuiTestContext* context);
// file_steps.cpp
void Exports(ImGuiTestContext* context);
void TakesWhatIsDropped(ImGuiTestContext* context);
void EntersWhatBecameAFolder(ImGuiTestContext* context);
void SavesAndOpens(ImGuiTestContext* context);
// After SavesAndOpens.
void OpensSamplesAndRecentFiles(ImGuiTestContext* context);
void KeepsWhatNobodySaved(ImGuiTestContext* context);
void AsksBeforeClosing(ImGuiTestContext* context);
void OpensWhatWasCut(ImGuiTestContext* context);
void LeavesAFileForAStart(ImGuiTestContext* context);
void FollowsARecording(ImGuiTestContext* context);
void TellsHowWhatItFollowsEnds(ImGuiTestContext* context);
void Compares(ImGuiTestContext* context);
void EndsAForeignComparison(ImGuiTestContext* context);
// what_if_steps.cpp
void TriesTheRunOtherwise(ImGuiTestContext* context);
// look_steps.cpp
void ScrollsTheBridgesStory(ImGuiTestContext* context);
void KeepsPanelsThroughSizes(ImGuiTestContext* context);
void ScalesWithItsText(ImGuiTestContext* context);
void WearsLight(ImGuiTestContext* context);
void ChoosesColors(ImGuiTestContext* context);
// shortage_steps.cpp
void ExplainsOutOfMemory(ImGuiTestContext* context);
void AppliesWhatFits(ImGuiTestContext* context);
void ForgetsWhatFitsElsewhere(ImGuiTestContext* context);
// technique_steps.cpp
void TriesTechniques(ImGuiTestContext* context);
inline constexpr const char* kLargeProgram = "python large.py";
// What a program of this name comes to as it is.
Result<std::shared_ptr<session::Run>> RunOutOfMemory(const session::ProgramOrder& order);
// script_steps.cpp
void TrainsScript(ImGuiTestContext* context);
// What the window exports with: a file whose name begins with "slow" is never done.
Result<std::vector<std::string>> ExportSlowly(const session::NotedRun& noted, std::string_view format,
                                              const std::filesystem::path& file, const Progress& progress);
// What the window would start programs with; these only wait for a process to ask. One called "slow" takes
// until somebody cancels it.
Result<std::shared_ptr<session::Run>> StartInName(const session::ProgramOrder& order,
                                                  const session::StartWatch& watch);

// What a program was started with last.
session::ProgramOrder& LastOrder();

// And sweeps with: a gigabyte more for each value, until Cancel from the fourth on.
Result<std::vector<std::string>> SweepInName(const session::SweepOrder& order,
                                             const session::SweepListener& listener,
                                             const session::StartWatch& watch);

// And tries techniques with: the first does not fit; of a program with --slow the third waits for Cancel.
session::TechniqueTrials TrialsInName();

}  // namespace tidemark::gui
