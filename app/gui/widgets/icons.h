// The icons that the window uses: code points of Font Awesome, merged into the words' faces.
#pragma once

#include <hello_imgui/icons_font_awesome_6.h>

namespace tidemark::gui::icons {

inline constexpr const char* kRun = ICON_FA_PLAY;
inline constexpr const char* kPause = ICON_FA_PAUSE;
inline constexpr const char* kStep = ICON_FA_FORWARD_STEP;
inline constexpr const char* kOperator = ICON_FA_ANGLES_RIGHT;
inline constexpr const char* kRestart = ICON_FA_ROTATE_LEFT;
inline constexpr const char* kStop = ICON_FA_STOP;
inline constexpr const char* kNew = ICON_FA_PLUS;
inline constexpr const char* kTerminal = ICON_FA_TERMINAL;
inline constexpr const char* kFolder = ICON_FA_FOLDER;
inline constexpr const char* kOpen = ICON_FA_FOLDER_OPEN;
inline constexpr const char* kFile = ICON_FA_FILE;
inline constexpr const char* kSave = ICON_FA_FLOPPY_DISK;
inline constexpr const char* kExport = ICON_FA_FILE_EXPORT;
inline constexpr const char* kCamera = ICON_FA_CAMERA;
inline constexpr const char* kUndo = ICON_FA_ARROW_ROTATE_LEFT;
inline constexpr const char* kRedo = ICON_FA_ARROW_ROTATE_RIGHT;
inline constexpr const char* kFit = ICON_FA_EXPAND;
inline constexpr const char* kFollow = ICON_FA_LOCATION_CROSSHAIRS;
inline constexpr const char* kPeak = ICON_FA_MOUNTAIN;
inline constexpr const char* kAxis = ICON_FA_RULER_HORIZONTAL;
inline constexpr const char* kClock = ICON_FA_CLOCK;
inline constexpr const char* kColors = ICON_FA_PALETTE;
inline constexpr const char* kTheme = ICON_FA_CIRCLE_HALF_STROKE;
inline constexpr const char* kUnit = ICON_FA_SCALE_BALANCED;
inline constexpr const char* kLarger = ICON_FA_MAGNIFYING_GLASS_PLUS;
inline constexpr const char* kSmaller = ICON_FA_MAGNIFYING_GLASS_MINUS;
inline constexpr const char* kSearch = ICON_FA_MAGNIFYING_GLASS;
inline constexpr const char* kLayout = ICON_FA_TABLE_COLUMNS;
inline constexpr const char* kHelp = ICON_FA_CIRCLE_QUESTION;
inline constexpr const char* kKeys = ICON_FA_KEYBOARD;
inline constexpr const char* kInfo = ICON_FA_CIRCLE_INFO;
inline constexpr const char* kWarning = ICON_FA_TRIANGLE_EXCLAMATION;
inline constexpr const char* kDown = ICON_FA_ANGLE_DOWN;
inline constexpr const char* kUp = ICON_FA_ARROW_UP;
inline constexpr const char* kClose = ICON_FA_XMARK;
inline constexpr const char* kChart = ICON_FA_CHART_AREA;
inline constexpr const char* kShares = ICON_FA_CHART_PIE;
inline constexpr const char* kSweep = ICON_FA_ARROW_TREND_UP;
inline constexpr const char* kCompare = ICON_FA_CODE_COMPARE;
inline constexpr const char* kTable = ICON_FA_TABLE;
inline constexpr const char* kLayers = ICON_FA_LAYER_GROUP;
inline constexpr const char* kLog = ICON_FA_LIST;
inline constexpr const char* kBridge = ICON_FA_BARS_STAGGERED;
inline constexpr const char* kMap = ICON_FA_TABLE_CELLS;
inline constexpr const char* kTree = ICON_FA_OBJECT_GROUP;
inline constexpr const char* kSliders = ICON_FA_SLIDERS;
inline constexpr const char* kQuit = ICON_FA_POWER_OFF;
inline constexpr const char* kBookmark = ICON_FA_BOOKMARK;
inline constexpr const char* kStairs = ICON_FA_STAIRS;
inline constexpr const char* kRuler = ICON_FA_CHART_LINE;
inline constexpr const char* kPin = ICON_FA_THUMBTACK;
inline constexpr const char* kLearn = ICON_FA_GRADUATION_CAP;
inline constexpr const char* kCopy = ICON_FA_COPY;
inline constexpr const char* kPaste = ICON_FA_PASTE;
inline constexpr const char* kUnlock = ICON_FA_LOCK_OPEN;
inline constexpr const char* kLock = ICON_FA_LOCK;
inline constexpr const char* kNext = ICON_FA_ARROW_RIGHT;
inline constexpr const char* kPrevious = ICON_FA_ARROW_LEFT;
inline constexpr const char* kHistogram = ICON_FA_CHART_SIMPLE;
inline constexpr const char* kGauge = ICON_FA_GAUGE_HIGH;

}  // namespace tidemark::gui::icons
