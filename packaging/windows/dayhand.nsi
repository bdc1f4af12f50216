; The Windows installer: per user, without administrator rights. makensis -DVERSION=… -DPAYLOAD=… -DOUT=… dayhand.nsi
; Silent: Dayhand-setup.exe /S, and uninstall.exe /S in Dayhand's folder.
Unicode true
Target amd64-unicode
!include "MUI2.nsh"
!include "FileFunc.nsh"

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
!insertmacro MUI_PAGE_LICENSE "${PAYLOAD}\LICENSE"
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"

Section
  ; Files of an earlier version must not mix with this one.
  RMDir /r "$INSTDIR\python"
  RMDir /r "$INSTDIR\lib"
  SetOutPath "$INSTDIR"
  File /r "${PAYLOAD}\*"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  CreateShortcut "$SMPROGRAMS\Dayhand.lnk" "$INSTDIR\python\pythonw.exe" "-m app.main" "$INSTDIR\dayhand.ico"
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
SectionEnd

Section "Uninstall"
  ; Data and passwords belong to the user and are kept; dayhand uninstall-data deletes them beforehand.
  Delete "$SMPROGRAMS\Dayhand.lnk"
  DeleteRegValue HKCU "${RUN}" "Dayhand"
  DeleteRegValue HKCU "${APPROVED}" "Dayhand"
  RMDir /r "$INSTDIR\python"
  RMDir /r "$INSTDIR\lib"
  Delete "$INSTDIR\dayhand.cmd"
  Delete "$INSTDIR\dayhand.ico"
  Delete "$INSTDIR\LICENSE"
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR"
  DeleteRegKey HKCU "${KEY}"
  DeleteRegKey HKCU "Software\Classes\AppUserModelId\Dayhand" ; the app identity of toast notifications
SectionEnd
