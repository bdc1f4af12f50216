; The Windows installer: per user, without administrator rights.
; makensis -DVERSION=… -DPAYLOAD=… -DSTEPS=…/steps.py -DOUT=… dayhand.nsi
; Silent: Dayhand-setup.exe /S, and uninstall.exe /S in Dayhand's folder.
Unicode true
Target amd64-unicode
!include "MUI2.nsh"
!include "FileFunc.nsh"
!include "LogicLib.nsh"

!define KEY "Software\Microsoft\Windows\CurrentVersion\Uninstall\Dayhand"
!define RUN "Software\Microsoft\Windows\CurrentVersion\Run"
!define APPROVED "Software\Microsoft\Windows\CurrentVersion\Explorer\StartupApproved\Run"

Name "Dayhand"
OutFile "${OUT}"
InstallDir "$LOCALAPPDATA\Programs\Dayhand"
InstallDirRegKey HKCU "${KEY}" "InstallLocation"
RequestExecutionLevel user
SetCompressor /SOLID lzma
ManifestDPIAware true
BrandingText "Dayhand ${VERSION}"
VIProductVersion "${VERSION}.0"
VIAddVersionKey "ProductName" "Dayhand"
VIAddVersionKey "FileDescription" "Installs Dayhand"
VIAddVersionKey "FileVersion" "${VERSION}"
VIAddVersionKey "LegalCopyright" "The Dayhand authors, MIT"

!define MUI_ICON "${PAYLOAD}\dayhand.ico"
!define MUI_UNICON "${PAYLOAD}\dayhand.ico"
!define MUI_FINISHPAGE_RUN "$INSTDIR\python\pythonw.exe"
!define MUI_FINISHPAGE_RUN_PARAMETERS "-m app.main"
!insertmacro MUI_PAGE_LICENSE "${PAYLOAD}\LICENSE"
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"
!insertmacro MUI_LANGUAGE "German"

LangString ENDING ${LANG_ENGLISH} "Closing the running Dayhand…"
LangString ENDING ${LANG_GERMAN} "Das laufende Dayhand wird beendet…"
LangString DELETE_DATA ${LANG_ENGLISH} "Also delete your workflows, their history and the passwords that Dayhand stored? Your scripts are kept."
LangString DELETE_DATA ${LANG_GERMAN} "Auch deine Abläufe, ihren Verlauf und die von Dayhand gespeicherten Passwörter löschen? Deine Skripte bleiben erhalten."
LangString IN_USE ${LANG_ENGLISH} "Some files of the previous version are still in use. Restart Windows, then install again."
LangString IN_USE ${LANG_GERMAN} "Einige Dateien der vorherigen Version werden noch benutzt. Starte Windows neu und installiere dann noch einmal."

; Leaves the output of the step on the stack.
!macro RunStep STEP
  nsExec::ExecToStack '"$INSTDIR\python\python.exe" "$PLUGINSDIR\steps.py" ${STEP} "$INSTDIR"'
  Pop $0
!macroend

!macro UnpackSteps
  InitPluginsDir
  File "/oname=$PLUGINSDIR\steps.py" "${STEPS}"
!macroend

Section
  !insertmacro UnpackSteps
  StrCpy $R0 ""
  ${If} ${FileExists} "$INSTDIR\python\python.exe"
    DetailPrint "$(ENDING)"
    !insertmacro RunStep end
    Pop $R0
  ${EndIf}
  ; Files of an earlier version must not mix with this one.
  ClearErrors
  RMDir /r "$INSTDIR\python"
  RMDir /r "$INSTDIR\lib"
  RMDir /r "$INSTDIR\bin"
  ${If} ${FileExists} "$INSTDIR\python\python.exe"
    MessageBox MB_OK|MB_ICONSTOP "$(IN_USE)" /SD IDOK
    SetErrorLevel 2
    Abort
  ${EndIf}
  SetOutPath "$INSTDIR"
  File /r "${PAYLOAD}\*"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  CreateShortcut "$SMPROGRAMS\Dayhand.lnk" "$INSTDIR\python\pythonw.exe" "-m app.main" "$INSTDIR\dayhand.ico"
  !insertmacro RunStep add-path
  Pop $0
  WriteRegStr HKCU "${KEY}" "DisplayName" "Dayhand"
  WriteRegStr HKCU "${KEY}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${KEY}" "DisplayIcon" "$INSTDIR\dayhand.ico"
  WriteRegStr HKCU "${KEY}" "Publisher" "The Dayhand authors"
  WriteRegStr HKCU "${KEY}" "InstallLocation" "$INSTDIR"
  WriteRegStr HKCU "${KEY}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegStr HKCU "${KEY}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
  WriteRegDWORD HKCU "${KEY}" "NoModify" 1
  WriteRegDWORD HKCU "${KEY}" "NoRepair" 1
  ${GetSize} "$INSTDIR" "/S=0K" $0 $1 $2
  IntFmt $0 "0x%08X" $0
  WriteRegDWORD HKCU "${KEY}" "EstimatedSize" "$0"
  ; An upgrade restarts a running Dayhand.
  StrCpy $R0 $R0 7
  ${If} $R0 == "restart"
    Exec '"$INSTDIR\python\pythonw.exe" -m app.main start --background'
  ${EndIf}
SectionEnd

Section "Uninstall"
  !insertmacro UnpackSteps
  ; Data and passwords belong to the user and are kept unless they say otherwise.
  MessageBox MB_YESNO|MB_ICONQUESTION|MB_DEFBUTTON2 "$(DELETE_DATA)" /SD IDNO IDNO keep
  DetailPrint "$(ENDING)"
  !insertmacro RunStep end
  Pop $0
  nsExec::ExecToLog '"$INSTDIR\python\python.exe" -m app.main uninstall-data --yes'
  Pop $0
  keep:
  DetailPrint "$(ENDING)"
  !insertmacro RunStep end
  Pop $0
  !insertmacro RunStep remove-path
  Pop $0
  Delete "$SMPROGRAMS\Dayhand.lnk"
  DeleteRegValue HKCU "${RUN}" "Dayhand"
  DeleteRegValue HKCU "${APPROVED}" "Dayhand"
  RMDir /r "$INSTDIR\python"
  RMDir /r "$INSTDIR\lib"
  RMDir /r "$INSTDIR\bin"
  Delete "$INSTDIR\dayhand.ico"
  Delete "$INSTDIR\LICENSE"
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR"
  DeleteRegKey HKCU "${KEY}"
  DeleteRegKey HKCU "Software\Classes\AppUserModelId\Dayhand" ; the app identity of toast notifications
SectionEnd
