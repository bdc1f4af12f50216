<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
<context>
    <name>AccountField</name>
    <message>
        <source>Connect a new one…</source>
        <translation>Neue Verbindung …</translation>
    </message>
    <message>
        <source>Connect…</source>
        <translation>Verbinden …</translation>
    </message>
</context>
<context>
    <name>AccountFields</name>
    <message>
        <source>{missing}. Connect one to continue.</source>
        <translation>{missing}. Zum Fortfahren bitte verbinden.</translation>
    </message>
</context>
<context>
    <name>AnswerFields</name>
    <message>
        <source>Choose: {question}</source>
        <translation>Auswählen: {question}</translation>
    </message>
    <message>
        <source>{folder} is not a folder. Choose an existing one.</source>
        <translation>{folder} ist kein Ordner. Wähle einen vorhandenen.</translation>
    </message>
</context>
<context>
    <name>AnswerForm</name>
    <message>
        <source>Choose…</source>
        <translation>Auswählen …</translation>
    </message>
</context>
<context>
    <name>AnswerPanel</name>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
</context>
<context>
    <name>ApprovalTable</name>
    <message>
        <source>1 row does not fit into the table. Open it before you select it.</source>
        <translation>1 Zeile passt nicht in die Tabelle. Öffne sie, bevor du sie auswählst.</translation>
    </message>
    <message>
        <source>Approve</source>
        <translation>Zustimmen</translation>
    </message>
    <message>
        <source>Approve {number}</source>
        <translation>Zustimmen ({number})</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Reject</source>
        <translation>Ablehnen</translation>
    </message>
    <message>
        <source>Reject {number}</source>
        <translation>{number} ablehnen</translation>
    </message>
    <message>
        <source>Select all</source>
        <translation>Alle auswählen</translation>
    </message>
    <message>
        <source>Shows everything that the current row would do</source>
        <translation>Zeigt alles, was die aktuelle Zeile tun würde</translation>
    </message>
    <message>
        <source>{number} rows do not fit into the table. Open them before you select them.</source>
        <translation>{number} Zeilen passen nicht in die Tabelle. Öffne sie, bevor du sie auswählst.</translation>
    </message>
</context>
<context>
    <name>AttentionFilters</name>
    <message>
        <source>All workflows</source>
        <translation>Alle Abläufe</translation>
    </message>
    <message>
        <source>Everything</source>
        <translation>Alles</translation>
    </message>
    <message>
        <source>What is asked</source>
        <translation>Was gefragt wird</translation>
    </message>
    <message>
        <source>Workflow</source>
        <translation>Ablauf</translation>
    </message>
    <message>
        <source>{shown} of {number}</source>
        <translation>{shown} von {number}</translation>
    </message>
</context>
<context>
    <name>AttentionPage</name>
    <message>
        <source>Approval requests, expired sign-ins and workflows that cannot continue appear here.</source>
        <translation>Freigaben, abgelaufene Anmeldungen und Abläufe, die nicht weiterkommen, erscheinen hier.</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>Zu klären</translation>
    </message>
    <message>
        <source>Nothing else needs your attention.</source>
        <translation>Sonst wartet nichts auf dich.</translation>
    </message>
    <message>
        <source>Nothing needs your attention</source>
        <translation>Alles geklärt</translation>
    </message>
</context>
<context>
    <name>AutoDeployer</name>
    <message>
        <source>it now has a job, which can do anything you can. Update it yourself.</source>
        <translation>er hat jetzt eine Aufgabe (job), die alles darf, was du darfst. Aktualisiere ihn selbst.</translation>
    </message>
    <message>
        <source>its workflow is now called {name}, not {workflow}. Add it yourself.</source>
        <translation>der Ablauf heißt jetzt {name}, nicht {workflow}. Füge ihn selbst hinzu.</translation>
    </message>
    <message>
        <source>{file} was saved, but the previous version stays in use: {why}</source>
        <translation>{file} wurde gespeichert, aber die vorige Version bleibt in Gebrauch: {why}</translation>
    </message>
    <message>
        <source>{file} was saved, but the workflow could not be updated: {why}</source>
        <translation>{file} wurde gespeichert, aber der Ablauf ließ sich nicht aktualisieren: {why}</translation>
    </message>
    <message>
        <source>{file} was saved, but the workflow was not updated: {why}</source>
        <translation>{file} wurde gespeichert, aber der Ablauf nicht aktualisiert: {why}</translation>
    </message>
    <message>
        <source>{workflow} was updated to version {version} because its file was saved.</source>
        <translation>{workflow} wurde auf Version {version} aktualisiert, weil die Datei gespeichert wurde.</translation>
    </message>
</context>
<context>
    <name>AwaySummary</name>
    <message>
        <source>1 failed</source>
        <translation>1 fehlgeschlagen</translation>
    </message>
    <message>
        <source>1 missed</source>
        <translation>1 verpasst</translation>
    </message>
    <message>
        <source>1 new request</source>
        <translation>1 neue Anfrage</translation>
    </message>
    <message>
        <source>1 run went well</source>
        <translation>1 Lauf ging gut</translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation>Ausblenden</translation>
    </message>
    <message>
        <source>Failed: {names}</source>
        <translation>Fehlgeschlagen: {names}</translation>
    </message>
    <message>
        <source>Missed: {names}</source>
        <translation>Verpasst: {names}</translation>
    </message>
    <message>
        <source>Since {time}</source>
        <translation>Seit {time}</translation>
    </message>
    <message>
        <source>While you were away</source>
        <translation>Während du weg warst</translation>
    </message>
    <message>
        <source>{names}, and {number} more</source>
        <translation>{names} und {number} weitere</translation>
    </message>
    <message>
        <source>{number} failed</source>
        <translation>{number} fehlgeschlagen</translation>
    </message>
    <message>
        <source>{number} missed</source>
        <translation>{number} verpasst</translation>
    </message>
    <message>
        <source>{number} new requests</source>
        <translation>{number} neue Anfragen</translation>
    </message>
    <message>
        <source>{number} runs went well</source>
        <translation>{number} Läufe gingen gut</translation>
    </message>
</context>
<context>
    <name>BackBar</name>
    <message>
        <source>Back to {page}</source>
        <translation>Zurück zu {page}</translation>
    </message>
</context>
<context>
    <name>BackfillDialog</name>
    <message>
        <source>&amp;From</source>
        <translation>&amp;Von</translation>
    </message>
    <message>
        <source>&amp;Only times that did not run</source>
        <translation>N&amp;ur nicht gelaufene Termine</translation>
    </message>
    <message>
        <source>&amp;Until</source>
        <translation>&amp;Bis</translation>
    </message>
    <message>
        <source>1 run in this range.</source>
        <translation>1 Lauf in diesem Zeitraum.</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Everything in this range has already run.</source>
        <translation>In diesem Zeitraum ist alles schon gelaufen.</translation>
    </message>
    <message>
        <source>From</source>
        <translation>Von</translation>
    </message>
    <message>
        <source>No runs in this range.</source>
        <translation>In diesem Zeitraum liegen keine Läufe.</translation>
    </message>
    <message>
        <source>Run missed times</source>
        <translation>Verpasste Termine nachholen</translation>
    </message>
    <message>
        <source>Run them</source>
        <translation>Nachholen</translation>
    </message>
    <message>
        <source>Started 1 catch-up run.</source>
        <translation>1 Lauf wird nachgeholt.</translation>
    </message>
    <message>
        <source>Started {number} catch-up runs.</source>
        <translation>{number} Läufe werden nachgeholt.</translation>
    </message>
    <message>
        <source>Until</source>
        <translation>Bis</translation>
    </message>
    <message>
        <source>{number} or more runs in this range; choose a shorter one.</source>
        <translation>{number} oder mehr Läufe in diesem Zeitraum; wähle einen kürzeren.</translation>
    </message>
    <message>
        <source>{number} runs in this range, {missing} of them missed.</source>
        <translation>{number} Läufe in diesem Zeitraum, {missing} davon verpasst.</translation>
    </message>
    <message>
        <source>{number} runs in this range.</source>
        <translation>{number} Läufe in diesem Zeitraum.</translation>
    </message>
</context>
<context>
    <name>Card</name>
    <message>
        <source>The workflow says (not checked by Dayhand)</source>
        <translation>Das sagt der Ablauf (von Dayhand nicht geprüft)</translation>
    </message>
</context>
<context>
    <name>ChangeAnswersDialog</name>
    <message>
        <source>Answers changed.</source>
        <translation>Antworten geändert.</translation>
    </message>
    <message>
        <source>Change answers</source>
        <translation>Antworten ändern</translation>
    </message>
    <message>
        <source>Nothing was changed.</source>
        <translation>Nichts wurde geändert.</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Speichern</translation>
    </message>
    <message>
        <source>This workflow&apos;s file was changed by hand; change these answers there: {names}.</source>
        <translation>Die Datei dieses Ablaufs wurde von Hand geändert; ändere diese Antworten dort: {names}.</translation>
    </message>
</context>
<context>
    <name>ChannelDialog</name>
    <message>
        <source>Channel</source>
        <translation>Kanal</translation>
    </message>
    <message>
        <source>All</source>
        <translation>Alle</translation>
    </message>
    <message>
        <source>&amp;Quiet hours</source>
        <translation>&amp;Ruhezeit</translation>
    </message>
    <message>
        <source>Quiet from</source>
        <translation>Ruhe ab</translation>
    </message>
    <message>
        <source>Quiet until</source>
        <translation>Ruhe bis</translation>
    </message>
    <message>
        <source>&amp;Let questions through</source>
        <translation>&amp;Fragen durchlassen</translation>
    </message>
    <message>
        <source>&amp;Say exactly what would be done; the service can read it</source>
        <translation>&amp;Genau sagen, was getan würde; der Dienst kann es lesen</translation>
    </message>
    <message>
        <source>Set up authenticator app…</source>
        <translation>Authenticator-App einrichten …</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Speichern</translation>
    </message>
    <message>
        <source>Send &amp;to</source>
        <translation>Senden &amp;an</translation>
    </message>
    <message>
        <source>What is sent</source>
        <translation>Was gesendet wird</translation>
    </message>
    <message>
        <source>Only these &amp;workflows</source>
        <translation>Nur diese A&amp;bläufe</translation>
    </message>
    <message>
        <source>W&amp;hen</source>
        <translation>&amp;Wann</translation>
    </message>
    <message>
        <source>Away after (&amp;minutes)</source>
        <translation>Abwesend nach (&amp;Minuten)</translation>
    </message>
    <message>
        <source>The screen is locked, nobody uses the computer, or nobody has answered for that long.</source>
        <translation>Der Bildschirm ist gesperrt, oder so lange hat niemand den Computer benutzt oder geantwortet.</translation>
    </message>
    <message>
        <source>Messages an hour, at &amp;most</source>
        <translation>&amp;Höchstens Nachrichten pro Stunde</translation>
    </message>
    <message>
        <source>from</source>
        <translation>von</translation>
    </message>
    <message>
        <source>until</source>
        <translation>bis</translation>
    </message>
    <message>
        <source>Ask for the &amp;code</source>
        <translation>Nach dem &amp;Code fragen</translation>
    </message>
    <message>
        <source>Enter this key in your authenticator app now; it is not shown again:
{key}</source>
        <translation>Gib diesen Schlüssel jetzt in deiner Authenticator-App ein; er wird nicht noch einmal gezeigt:
{key}</translation>
    </message>
    <message>
        <source>for example, you@example.org</source>
        <translation>zum Beispiel du@example.org</translation>
    </message>
</context>
<context>
    <name>ChannelRow</name>
    <message>
        <source>Settings…</source>
        <translation>Einstellungen …</translation>
    </message>
    <message>
        <source>Send a test message</source>
        <translation>Testnachricht senden</translation>
    </message>
    <message>
        <source>Unlock</source>
        <translation>Entsperren</translation>
    </message>
    <message>
        <source>Test message sent.</source>
        <translation>Testnachricht gesendet.</translation>
    </message>
</context>
<context>
    <name>ChannelsSection</name>
    <message>
        <source>Dayhand can ask you on your phone: connect the ntfy app, or a Telegram bot.</source>
        <translation>Dayhand kann dich auf dem Handy fragen: Verbinde die ntfy-App oder einen Telegram-Bot.</translation>
    </message>
    <message>
        <source>Connect ntfy…</source>
        <translation>ntfy verbinden …</translation>
    </message>
    <message>
        <source>Connect Telegram…</source>
        <translation>Telegram verbinden …</translation>
    </message>
</context>
<context>
    <name>ConnectDialog</name>
    <message>
        <source>&amp;Name</source>
        <translation>&amp;Name</translation>
    </message>
    <message>
        <source>&amp;Type</source>
        <translation>&amp;Art</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Connect</source>
        <translation>Verbinden</translation>
    </message>
    <message>
        <source>Connect {name}</source>
        <translation>{name} verbinden</translation>
    </message>
    <message>
        <source>Connecting…</source>
        <translation>Wird verbunden …</translation>
    </message>
    <message>
        <source>The server offers {number}. Choose one, then connect.</source>
        <translation>Der Server bietet {number} an. Wähle einen Eintrag und verbinde dann.</translation>
    </message>
    <message>
        <source>The server offers this one. Connect to use it.</source>
        <translation>Der Server bietet diesen Eintrag an. Verbinde, um ihn zu verwenden.</translation>
    </message>
    <message>
        <source>Enter a name. Scripts use it to refer to this connection.</source>
        <translation>Gib einen Namen ein. Skripte nutzen ihn für diese Verbindung.</translation>
    </message>
    <message>
        <source>New connection</source>
        <translation>Neue Verbindung</translation>
    </message>
    <message>
        <source>Sign in using the browser window that opened</source>
        <translation>Melde dich in dem Browserfenster an, das sich geöffnet hat</translation>
    </message>
    <message>
        <source>Test</source>
        <translation>Prüfen</translation>
    </message>
    <message>
        <source>Testing…</source>
        <translation>Wird geprüft …</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>Use only letters, digits, dashes and underscores in the name.</source>
        <translation>Verwende im Namen nur Buchstaben, Ziffern, Binde- und Unterstriche.</translation>
    </message>
    <message>
        <source>for example, expenses</source>
        <translation>zum Beispiel ausgaben</translation>
    </message>
    <message>
        <source>{name} exists already. This connection gets a name of its own: {free}.</source>
        <translation>{name} gibt es schon. Diese Verbindung bekommt einen eigenen Namen: {free}.</translation>
    </message>
</context>
<context>
    <name>ConnectFields</name>
    <message>
        <source>Choose {label}</source>
        <translation>{label} auswählen</translation>
    </message>
    <message>
        <source>Leave empty to keep the current one</source>
        <translation>Leer lassen, um das bisherige zu behalten</translation>
    </message>
    <message>
        <source>{label} (optional)</source>
        <translation>{label} (optional)</translation>
    </message>
    <message>
        <source>{label} is required.</source>
        <translation>{label} fehlt.</translation>
    </message>
</context>
<context>
    <name>ConnectionsPage</name>
    <message>
        <source>A connection is an account, or a folder or table on this computer, that workflows can use. Passwords stay in your system&apos;s keyring.</source>
        <translation>Eine Verbindung ist ein Konto oder ein Ordner oder eine Tabelle auf diesem Computer, die Abläufe nutzen können. Passwörter bleiben im Schlüsselbund deines Systems.</translation>
    </message>
    <message>
        <source>Change…</source>
        <translation>Ändern …</translation>
    </message>
    <message>
        <source>Connected since</source>
        <translation>Verbunden seit</translation>
    </message>
    <message>
        <source>Connections</source>
        <translation>Verbindungen</translation>
    </message>
    <message>
        <source>Connect…</source>
        <translation>Verbinden …</translation>
    </message>
    <message>
        <source>Disconnect</source>
        <translation>Trennen</translation>
    </message>
    <message>
        <source>Disconnect {name}?</source>
        <translation>Verbindung „{name}“ trennen?</translation>
    </message>
    <message>
        <source>Disconnect…</source>
        <translation>Trennen …</translation>
    </message>
    <message>
        <source>It is used by {names}.</source>
        <translation>Genutzt wird sie von {names}.</translation>
    </message>
    <message>
        <source>Last used</source>
        <translation>Zuletzt genutzt</translation>
    </message>
    <message>
        <source>Name in scripts</source>
        <translation>Name in Skripten</translation>
    </message>
    <message>
        <source>Needed by a workflow; not connected yet.</source>
        <translation>Ein Ablauf braucht sie; noch nicht verbunden.</translation>
    </message>
    <message>
        <source>New connection…</source>
        <translation>Neue Verbindung …</translation>
    </message>
    <message>
        <source>No connections yet</source>
        <translation>Noch keine Verbindungen</translation>
    </message>
    <message>
        <source>Nothing at the other end is deleted.</source>
        <translation>Auf der Gegenseite wird nichts gelöscht.</translation>
    </message>
    <message>
        <source>Reconnect…</source>
        <translation>Neu verbinden …</translation>
    </message>
    <message>
        <source>Test</source>
        <translation>Prüfen</translation>
    </message>
    <message>
        <source>Testing {name}…</source>
        <translation>{name} wird geprüft …</translation>
    </message>
    <message>
        <source>Used by</source>
        <translation>Genutzt von</translation>
    </message>
    <message>
        <source>and {number} more</source>
        <translation>und {number} weitere</translation>
    </message>
    <message>
        <source>never</source>
        <translation>nie</translation>
    </message>
    <message>
        <source>no workflow</source>
        <translation>keinem Ablauf</translation>
    </message>
</context>
<context>
    <name>CrashDialog</name>
    <message>
        <source>&amp;Copy details</source>
        <translation>Details &amp;kopieren</translation>
    </message>
    <message>
        <source>&amp;Open log</source>
        <translation>Protokoll ö&amp;ffnen</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Dayhand ran into a problem</source>
        <translation>In Dayhand ging etwas schief</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>Details</translation>
    </message>
    <message>
        <source>It happened once more; see the log.</source>
        <translation>Es kam noch einmal vor; siehe Protokoll.</translation>
    </message>
    <message>
        <source>It happened {number} more times; see the log.</source>
        <translation>Es kam noch {number}-mal vor; siehe Protokoll.</translation>
    </message>
    <message>
        <source>Something in this window went wrong; your workflows keep running. If it happens again, please report it with these details.</source>
        <translation>Etwas in diesem Fenster hat nicht geklappt; deine Abläufe laufen weiter. Wenn es wieder vorkommt, melde es bitte mit diesen Details.</translation>
    </message>
</context>
<context>
    <name>DataSection</name>
    <message>
        <source>&amp;Export everything…</source>
        <translation>Alles &amp;exportieren …</translation>
    </message>
    <message>
        <source>&amp;Import…</source>
        <translation>&amp;Importieren …</translation>
    </message>
    <message>
        <source>All imported workflows start paused. Dayhand will restart.</source>
        <translation>Alle importierten Abläufe beginnen pausiert. Dayhand startet neu.</translation>
    </message>
    <message>
        <source>All workflows, history and settings in one file. Passwords are not included.</source>
        <translation>Alle Abläufe, Verlauf und Einstellungen in einer Datei. Passwörter sind nicht dabei.</translation>
    </message>
    <message>
        <source>Back up now</source>
        <translation>Jetzt sichern</translation>
    </message>
    <message>
        <source>Backed up to {path}.</source>
        <translation>Gesichert nach {path}.</translation>
    </message>
    <message>
        <source>Backing up…</source>
        <translation>Wird gesichert …</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Checking {file}…</source>
        <translation>{file} wird geprüft …</translation>
    </message>
    <message>
        <source>Dayhand exports (*.zip)</source>
        <translation>Dayhand-Exporte (*.zip)</translation>
    </message>
    <message>
        <source>Exported to {path}. Passwords are not included.</source>
        <translation>Nach {path} exportiert. Passwörter sind nicht dabei.</translation>
    </message>
    <message>
        <source>Exporting…</source>
        <translation>Wird exportiert …</translation>
    </message>
    <message>
        <source>For troubleshooting. Contains no scripts, data or passwords.</source>
        <translation>Zur Fehlersuche. Enthält keine Skripte, Daten oder Passwörter.</translation>
    </message>
    <message>
        <source>Import</source>
        <translation>Importieren</translation>
    </message>
    <message>
        <source>Open folder</source>
        <translation>Ordner öffnen</translation>
    </message>
    <message>
        <source>Restore from {file}?</source>
        <translation>Aus {file} wiederherstellen?</translation>
    </message>
    <message>
        <source>Save as</source>
        <translation>Speichern unter</translation>
    </message>
    <message>
        <source>Save dia&amp;gnostics…</source>
        <translation>Dia&amp;gnose speichern …</translation>
    </message>
    <message>
        <source>Saved to {path}. Review it before you share it.</source>
        <translation>In {path} gespeichert. Sieh es durch, bevor du es weitergibst.</translation>
    </message>
    <message>
        <source>Saving…</source>
        <translation>Wird gespeichert …</translation>
    </message>
    <message>
        <source>Your current data is set aside in the data folder.</source>
        <translation>Deine jetzigen Daten werden im Datenordner beiseitegelegt.</translation>
    </message>
    <message>
        <source>Zip files (*.zip)</source>
        <translation>Zip-Dateien (*.zip)</translation>
    </message>
</context>
<context>
    <name>DateFilter</name>
    <message>
        <source>Any time</source>
        <translation>Gesamter Zeitraum</translation>
    </message>
    <message>
        <source>Choose a day…</source>
        <translation>Tag auswählen …</translation>
    </message>
    <message>
        <source>Custom range</source>
        <translation>Eigener Zeitraum</translation>
    </message>
    <message>
        <source>Day</source>
        <translation>Tag</translation>
    </message>
    <message>
        <source>From</source>
        <translation>Von</translation>
    </message>
    <message>
        <source>Last 30 days</source>
        <translation>Letzte 30 Tage</translation>
    </message>
    <message>
        <source>Last 7 days</source>
        <translation>Letzte 7 Tage</translation>
    </message>
    <message>
        <source>Last week</source>
        <translation>Letzte Woche</translation>
    </message>
    <message>
        <source>This week</source>
        <translation>Diese Woche</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeitraum</translation>
    </message>
    <message>
        <source>Today</source>
        <translation>Heute</translation>
    </message>
    <message>
        <source>Until</source>
        <translation>Bis</translation>
    </message>
    <message>
        <source>Yesterday ({weekday})</source>
        <translation>Gestern ({weekday})</translation>
    </message>
    <message>
        <source>{weekday}, {day} {month}</source>
        <translation>{weekday}, {day}. {month}</translation>
    </message>
</context>
<context>
    <name>DeployDialog</name>
    <message>
        <source>Add</source>
        <translation>Hinzufügen</translation>
    </message>
    <message>
        <source>Add a workflow</source>
        <translation>Ablauf hinzufügen</translation>
    </message>
    <message>
        <source>Adding…</source>
        <translation>Wird hinzugefügt …</translation>
    </message>
    <message>
        <source>Allow now; it will ask for anything else when needed</source>
        <translation>Jetzt erlauben; nach allem anderen fragt er bei Bedarf</translation>
    </message>
    <message>
        <source>Another file already uses this name. Replace it, or rename this workflow.</source>
        <translation>Eine andere Datei nutzt diesen Namen schon. Ersetze sie, oder gib diesem Ablauf einen anderen Namen.</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Check again</source>
        <translation>Noch einmal prüfen</translation>
    </message>
    <message>
        <source>Checking the script</source>
        <translation>Das Skript wird geprüft</translation>
    </message>
    <message>
        <source>Checking {file}…</source>
        <translation>{file} wird geprüft …</translation>
    </message>
    <message>
        <source>It uses no connections.</source>
        <translation>Er nutzt keine Verbindungen.</translation>
    </message>
    <message>
        <source>Not connected yet: {names}. You can connect it now or later.</source>
        <translation>Noch nicht verbunden: {names}. Das kannst du jetzt oder später tun.</translation>
    </message>
    <message>
        <source>Not connected yet: {names}. You can connect them now or later.</source>
        <translation>Noch nicht verbunden: {names}. Das kannst du jetzt oder später tun.</translation>
    </message>
    <message>
        <source>Replace</source>
        <translation>Ersetzen</translation>
    </message>
    <message>
        <source>Runs when new data arrives.</source>
        <translation>Läuft, wenn neue Daten eintreffen.</translation>
    </message>
    <message>
        <source>Start &amp;paused</source>
        <translation>&amp;Pausiert beginnen</translation>
    </message>
    <message>
        <source>Test run…</source>
        <translation>Probelauf …</translation>
    </message>
    <message>
        <source>Update</source>
        <translation>Aktualisieren</translation>
    </message>
    <message>
        <source>Update whenever the &amp;file is saved</source>
        <translation>Aktualisieren, sobald die &amp;Datei gespeichert wird</translation>
    </message>
    <message>
        <source>Update workflow</source>
        <translation>Ablauf aktualisieren</translation>
    </message>
    <message>
        <source>Updating…</source>
        <translation>Wird aktualisiert …</translation>
    </message>
    <message>
        <source>What it may use</source>
        <translation>Was er nutzen darf</translation>
    </message>
    <message>
        <source>{file} cannot be read: {why}.</source>
        <translation>{file} lässt sich nicht lesen: {why}.</translation>
    </message>
    <message>
        <source>{file} is not a text file.</source>
        <translation>{file} ist keine Textdatei.</translation>
    </message>
    <message>
        <source>{name} added (version {version}).</source>
        <translation>{name} hinzugefügt (Version {version}).</translation>
    </message>
    <message>
        <source>{name} updated to version {version}.</source>
        <translation>{name} auf Version {version} aktualisiert.</translation>
    </message>
</context>
<context>
    <name>DesktopUi</name>
    <message>
        <source>Dayhand accepts no answers</source>
        <translation>Dayhand nimmt keine Antworten an</translation>
    </message>
    <message>
        <source>Dayhand is still running</source>
        <translation>Dayhand läuft weiter</translation>
    </message>
    <message>
        <source>Dayhand keeps running. There is no tray here, so its window is minimised. Ctrl+Q quits.</source>
        <translation>Dayhand läuft weiter. Hier gibt es keinen Infobereich, darum ist das Fenster minimiert. Strg+Q beendet.</translation>
    </message>
    <message>
        <source>That did not work</source>
        <translation>Das hat nicht geklappt</translation>
    </message>
</context>
<context>
    <name>DiffSummary</name>
    <message>
        <source>Changes</source>
        <translation>Änderungen</translation>
    </message>
</context>
<context>
    <name>DiffView</name>
    <message>
        <source>1 line</source>
        <translation>1 Zeile</translation>
    </message>
    <message>
        <source>1 line added, {removed} removed</source>
        <translation>1 neu, {removed} entfernt</translation>
    </message>
    <message>
        <source>After</source>
        <translation>Nachher</translation>
    </message>
    <message>
        <source>Before</source>
        <translation>Vorher</translation>
    </message>
    <message>
        <source>Before and after</source>
        <translation>Vorher und nachher</translation>
    </message>
    <message>
        <source>Next change</source>
        <translation>Nächste Änderung</translation>
    </message>
    <message>
        <source>No differences</source>
        <translation>Keine Unterschiede</translation>
    </message>
    <message>
        <source>Previous change</source>
        <translation>Vorige Änderung</translation>
    </message>
    <message>
        <source>Side by side</source>
        <translation>Nebeneinander</translation>
    </message>
    <message>
        <source>{added} lines added, {removed} removed</source>
        <translation>{added} neu, {removed} entfernt</translation>
    </message>
    <message>
        <source>{number} lines</source>
        <translation>{number} Zeilen</translation>
    </message>
</context>
<context>
    <name>DryRunDialog</name>
    <message>
        <source>&amp;Period</source>
        <translation>&amp;Zeitraum</translation>
    </message>
    <message>
        <source>1 run; nothing was changed.</source>
        <translation>1 Lauf; nichts wurde geändert.</translation>
    </message>
    <message>
        <source>A test run reads real data, changes nothing through connections, and assumes you approve. You see what it would do. Anything the script does without a connection really happens.</source>
        <translation>Ein Probelauf liest echte Daten, ändert nichts über Verbindungen und nimmt deine Zustimmung an. Du siehst, was er tun würde. Was das Skript ohne Verbindung tut, geschieht wirklich.</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Nothing ran: there was nothing to do.</source>
        <translation>Nichts ist gelaufen: Es gab nichts zu tun.</translation>
    </message>
    <message>
        <source>Once</source>
        <translation>Einmal</translation>
    </message>
    <message>
        <source>One day of its schedule</source>
        <translation>Ein Tag nach Plan</translation>
    </message>
    <message>
        <source>One month of its schedule</source>
        <translation>Ein Monat nach Plan</translation>
    </message>
    <message>
        <source>One week of its schedule</source>
        <translation>Eine Woche nach Plan</translation>
    </message>
    <message>
        <source>Period</source>
        <translation>Zeitraum</translation>
    </message>
    <message>
        <source>Run again</source>
        <translation>Noch einmal</translation>
    </message>
    <message>
        <source>Show more ({number})</source>
        <translation>Mehr zeigen ({number})</translation>
    </message>
    <message>
        <source>Start test run</source>
        <translation>Probelauf starten</translation>
    </message>
    <message>
        <source>Still waiting at the end: {sentence}</source>
        <translation>Am Ende noch offen: {sentence}</translation>
    </message>
    <message>
        <source>Stopped early; more runs would follow.</source>
        <translation>Vorzeitig beendet; weitere Läufe würden folgen.</translation>
    </message>
    <message>
        <source>Test run</source>
        <translation>Probelauf</translation>
    </message>
    <message>
        <source>Test run in progress</source>
        <translation>Probelauf läuft</translation>
    </message>
    <message>
        <source>Test run in progress…</source>
        <translation>Probelauf läuft …</translation>
    </message>
    <message>
        <source>Test run: {name}</source>
        <translation>Probelauf: {name}</translation>
    </message>
    <message>
        <source>Times are simulated.</source>
        <translation>Die Zeiten sind simuliert.</translation>
    </message>
    <message>
        <source>What it would do</source>
        <translation>Was er tun würde</translation>
    </message>
    <message>
        <source>{number} runs; nothing was changed.</source>
        <translation>{number} Läufe; nichts wurde geändert.</translation>
    </message>
</context>
<context>
    <name>DryRunProcess</name>
    <message>
        <source>The test run could not be started. Try again.</source>
        <translation>Der Probelauf konnte nicht starten. Versuch es noch einmal.</translation>
    </message>
    <message>
        <source>The test run ended without a result. Try again.</source>
        <translation>Der Probelauf endete ohne Ergebnis. Versuch es noch einmal.</translation>
    </message>
</context>
<context>
    <name>ExportProgress</name>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Export cancelled. {file} was not written.</source>
        <translation>Export abgebrochen. {file} wurde nicht geschrieben.</translation>
    </message>
    <message>
        <source>Exported {number} rows to {file}.</source>
        <translation>{number} Zeilen nach {file} exportiert.</translation>
    </message>
    <message>
        <source>Rows written</source>
        <translation>Geschriebene Zeilen</translation>
    </message>
    <message>
        <source>Exported 1 row to {file}.</source>
        <translation>1 Zeile nach {file} exportiert.</translation>
    </message>
    <message>
        <source>Writing {file}: {number} of {total} rows</source>
        <translation>{file} wird geschrieben: {number} von {total} Zeilen</translation>
    </message>
    <message>
        <source>Writing {file}…</source>
        <translation>{file} wird geschrieben …</translation>
    </message>
</context>
<context>
    <name>FixerSection</name>
    <message>
        <source>&amp;Command</source>
        <translation>Befe&amp;hl</translation>
    </message>
    <message>
        <source>&amp;Model</source>
        <translation>M&amp;odell</translation>
    </message>
    <message>
        <source>A failing script is sent with its error, the end of its log and the data it was working on, without passwords or mail text. Attention shows what is sent. A repair cannot change what a workflow is allowed to do, or when it asks you.</source>
        <translation>Ein fehlerhaftes Skript wird mit seinem Fehler, dem Ende seines Protokolls und den Daten gesendet, an denen es arbeitete, ohne Passwörter und Mailtexte. „Zu klären“ zeigt, was gesendet wird. Eine Reparatur kann nicht ändern, was ein Ablauf darf oder wann er dich fragt.</translation>
    </message>
    <message>
        <source>API ke&amp;y (optional)</source>
        <translation>API-Schl&amp;üssel (optional)</translation>
    </message>
    <message>
        <source>API key</source>
        <translation>API-Schlüssel</translation>
    </message>
    <message>
        <source>Apply a re&amp;pair</source>
        <translation>Reparatur an&amp;wenden</translation>
    </message>
    <message>
        <source>Apply a repair</source>
        <translation>Reparatur anwenden</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>Befehl</translation>
    </message>
    <message>
        <source>Delete key</source>
        <translation>Schlüssel löschen</translation>
    </message>
    <message>
        <source>Maximum &amp;tokens per repair</source>
        <translation>&amp;Token je Reparatur, höchstens</translation>
    </message>
    <message>
        <source>Maximum seconds per repair</source>
        <translation>Sekunden je Reparatur, höchstens</translation>
    </message>
    <message>
        <source>Maximum tokens per repair</source>
        <translation>Token je Reparatur, höchstens</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Repair &amp;failing scripts with</source>
        <translation>Fehlerhafte Skripte re&amp;parieren mit</translation>
    </message>
    <message>
        <source>Repair failing scripts with</source>
        <translation>Fehlerhafte Skripte reparieren mit</translation>
    </message>
    <message>
        <source>Repairs stay off until the fields above are filled in.</source>
        <translation>Reparaturen bleiben aus, bis die Felder oben ausgefüllt sind.</translation>
    </message>
    <message>
        <source>Send a failing script</source>
        <translation>Fehlerhaftes Skript senden</translation>
    </message>
    <message>
        <source>Server add&amp;ress</source>
        <translation>Servera&amp;dresse</translation>
    </message>
    <message>
        <source>Server address</source>
        <translation>Serveradresse</translation>
    </message>
    <message>
        <source>Stored in the keyring</source>
        <translation>Liegt im Schlüsselbund</translation>
    </message>
</context>
<context>
    <name>FixerTextDialog</name>
    <message>
        <source>&amp;Send</source>
        <translation>&amp;Senden</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>This is everything that was sent to the fixer. Passwords and mail text were removed.</source>
        <translation>Das ist alles, was zur Reparatur gesendet wurde. Passwörter und Mailtexte wurden entfernt.</translation>
    </message>
    <message>
        <source>This is everything that will be sent to the fixer. Passwords and mail text are removed.</source>
        <translation>Das ist alles, was zur Reparatur gesendet wird. Passwörter und Mailtexte werden entfernt.</translation>
    </message>
    <message>
        <source>What was sent</source>
        <translation>Was gesendet wurde</translation>
    </message>
    <message>
        <source>What will be sent</source>
        <translation>Was gesendet wird</translation>
    </message>
</context>
<context>
    <name>FullTable</name>
    <message>
        <source>Selected row</source>
        <translation>Gewählte Zeile</translation>
    </message>
</context>
<context>
    <name>HeartbeatSection</name>
    <message>
        <source>Monitoring service</source>
        <translation>Überwachungsdienst</translation>
    </message>
    <message>
        <source>None</source>
        <translation>Keiner</translation>
    </message>
    <message>
        <source>Interval</source>
        <translation>Abstand</translation>
    </message>
    <message>
        <source>A monitoring service such as Healthchecks or Uptime Kuma is pinged while Dayhand works, and tells you when the pings stop. Connect its address on the Connections page as a ping.</source>
        <translation>Solange Dayhand arbeitet, bekommt ein Überwachungsdienst wie Healthchecks oder Uptime Kuma Pings und sagt dir, wenn sie ausbleiben. Verbinde seine Adresse auf der Seite Verbindungen als Ping.</translation>
    </message>
</context>
<context>
    <name>HelpDialog</name>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Dayhand {version}</source>
        <translation>Dayhand {version}</translation>
    </message>
    <message>
        <source>Everywhere</source>
        <translation>Überall</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>Hilfe</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>Tastenkürzel</translation>
    </message>
    <message>
        <source>Open the scripting guide</source>
        <translation>Anleitung für Skripte öffnen</translation>
    </message>
    <message>
        <source>Tab moves to the next control and Space activates it. Alt with an underlined letter works too.</source>
        <translation>Tab wechselt zum nächsten Element, die Leertaste löst es aus. Alt mit einem unterstrichenen Buchstaben geht auch.</translation>
    </message>
</context>
<context>
    <name>HistoryFilters</name>
    <message>
        <source>All results</source>
        <translation>Alle Ergebnisse</translation>
    </message>
    <message>
        <source>All workflows</source>
        <translation>Alle Abläufe</translation>
    </message>
    <message>
        <source>Also each run that had nothing to report</source>
        <translation>Auch jeden Lauf, der nichts zu berichten hatte</translation>
    </message>
    <message>
        <source>Any reason</source>
        <translation>Jeder Grund</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>Ergebnis</translation>
    </message>
    <message>
        <source>Search history</source>
        <translation>Verlauf durchsuchen</translation>
    </message>
    <message>
        <source>Show all runs</source>
        <translation>Alle Läufe zeigen</translation>
    </message>
    <message>
        <source>Why it ran</source>
        <translation>Warum es lief</translation>
    </message>
    <message>
        <source>Workflow</source>
        <translation>Ablauf</translation>
    </message>
</context>
<context>
    <name>HistoryPage</name>
    <message>
        <source>1 entry</source>
        <translation>1 Eintrag</translation>
    </message>
    <message>
        <source>Every run appears here, and every run that was missed or skipped, with the reason.</source>
        <translation>Hier steht jeder Lauf, auch jeder verpasste oder übersprungene, mit dem Grund.</translation>
    </message>
    <message>
        <source>Export history</source>
        <translation>Verlauf exportieren</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>Exportieren …</translation>
    </message>
    <message>
        <source>Go to Workflows</source>
        <translation>Zu den Abläufen</translation>
    </message>
    <message>
        <source>History</source>
        <translation>Verlauf</translation>
    </message>
    <message>
        <source>Latest {number} of {total}; scroll for more</source>
        <translation>Die neuesten {number} von {total}; weitere beim Scrollen</translation>
    </message>
    <message>
        <source>Latest {number}; scroll for more</source>
        <translation>Die neuesten {number}; weitere beim Scrollen</translation>
    </message>
    <message>
        <source>No results</source>
        <translation>Keine Treffer</translation>
    </message>
    <message>
        <source>Nothing has run yet</source>
        <translation>Noch ist nichts gelaufen</translation>
    </message>
    <message>
        <source>Show all</source>
        <translation>Alle zeigen</translation>
    </message>
    <message>
        <source>Table (*.csv);;Data (*.json)</source>
        <translation>Tabelle (*.csv);;Daten (*.json)</translation>
    </message>
    <message>
        <source>Try other words, or clear the filters.</source>
        <translation>Versuche andere Wörter, oder setze die Filter zurück.</translation>
    </message>
    <message>
        <source>{number} entries</source>
        <translation>{number} Einträge</translation>
    </message>
</context>
<context>
    <name>HistoryTable</name>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Copy run ID</source>
        <translation>ID des Laufs kopieren</translation>
    </message>
    <message>
        <source>Runs, and times that did not run</source>
        <translation>Läufe und ausgefallene Termine</translation>
    </message>
</context>
<context>
    <name>ImportJobsDialog</name>
    <message>
        <source>&amp;All</source>
        <translation>&amp;Alle</translation>
    </message>
    <message>
        <source>A file</source>
        <translation>Eine Datei</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Choose a &amp;file…</source>
        <translation>&amp;Datei auswählen …</translation>
    </message>
    <message>
        <source>Choose a crontab, a .timer file or the XML of a task.</source>
        <translation>Wähle eine crontab, eine .timer-Datei oder das XML einer Aufgabe.</translation>
    </message>
    <message>
        <source>Choose a crontab, a timer or a task</source>
        <translation>crontab, Timer oder Aufgabe auswählen</translation>
    </message>
    <message>
        <source>Choose a folder for the scripts.</source>
        <translation>Wähle einen Ordner für die Skripte.</translation>
    </message>
    <message>
        <source>Choose the folder for the scripts</source>
        <translation>Ordner für die Skripte auswählen</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Everything was imported before.</source>
        <translation>Alles wurde schon früher importiert.</translation>
    </message>
    <message>
        <source>From</source>
        <translation>Quelle</translation>
    </message>
    <message>
        <source>Import</source>
        <translation>Importieren</translation>
    </message>
    <message>
        <source>Import &amp;paused</source>
        <translation>&amp;Pausiert importieren</translation>
    </message>
    <message>
        <source>Import 1 job</source>
        <translation>1 Aufgabe importieren</translation>
    </message>
    <message>
        <source>Import from</source>
        <translation>Importieren aus</translation>
    </message>
    <message>
        <source>Import jobs</source>
        <translation>Aufgaben importieren</translation>
    </message>
    <message>
        <source>Import {number} jobs</source>
        <translation>{number} Aufgaben importieren</translation>
    </message>
    <message>
        <source>Importing…</source>
        <translation>Wird importiert …</translation>
    </message>
    <message>
        <source>Jobs imported</source>
        <translation>Aufgaben importiert</translation>
    </message>
    <message>
        <source>My crontab</source>
        <translation>Meine crontab</translation>
    </message>
    <message>
        <source>My systemd timers</source>
        <translation>Meine systemd-Timer</translation>
    </message>
    <message>
        <source>No jobs were found.</source>
        <translation>Keine Aufgaben gefunden.</translation>
    </message>
    <message>
        <source>Reading…</source>
        <translation>Wird gelesen …</translation>
    </message>
    <message>
        <source>Save the &amp;scripts in</source>
        <translation>&amp;Skripte speichern in</translation>
    </message>
    <message>
        <source>Start them once the old entries are switched off.</source>
        <translation>Starte sie, sobald die alten Einträge abgeschaltet sind.</translation>
    </message>
    <message>
        <source>The import was undone; the scripts are deleted.</source>
        <translation>Der Import wurde rückgängig gemacht; die Skripte sind gelöscht.</translation>
    </message>
    <message>
        <source>The imported jobs are started.</source>
        <translation>Die importierten Aufgaben sind gestartet.</translation>
    </message>
</context>
<context>
    <name>ImportResultPanel</name>
    <message>
        <source>&amp;Copy the commands</source>
        <translation>Befehle &amp;kopieren</translation>
    </message>
    <message>
        <source>&amp;Start the imported jobs</source>
        <translation>Importierte Aufgaben &amp;starten</translation>
    </message>
    <message>
        <source>&amp;Undo the import</source>
        <translation>Import &amp;rückgängig machen</translation>
    </message>
    <message>
        <source>1 job imported and started.</source>
        <translation>1 Aufgabe importiert und gestartet.</translation>
    </message>
    <message>
        <source>1 job imported; it is paused.</source>
        <translation>1 Aufgabe importiert; sie ist pausiert.</translation>
    </message>
    <message>
        <source>Commands that switch off the old entries</source>
        <translation>Befehle, die die alten Einträge abschalten</translation>
    </message>
    <message>
        <source>Nothing was imported.</source>
        <translation>Nichts wurde importiert.</translation>
    </message>
    <message>
        <source>The old entries still run. Switch them off where they come from, or each job runs twice.</source>
        <translation>Die alten Einträge laufen noch. Schalte sie dort ab, wo sie herkommen, sonst läuft jede Aufgabe doppelt.</translation>
    </message>
    <message>
        <source>The old entries still run. Switch them off, or each job runs twice. Dayhand does not change them; these commands do it in a terminal:</source>
        <translation>Die alten Einträge laufen noch. Schalte sie ab, sonst läuft jede Aufgabe doppelt. Dayhand ändert sie nicht; diese Befehle tun es in einem Terminal:</translation>
    </message>
    <message>
        <source>{file}, line {line} was not imported: {reason}</source>
        <translation>{file}, Zeile {line} wurde nicht importiert: {reason}</translation>
    </message>
    <message>
        <source>{number} jobs imported and started.</source>
        <translation>{number} Aufgaben importiert und gestartet.</translation>
    </message>
    <message>
        <source>{number} jobs imported; they are paused.</source>
        <translation>{number} Aufgaben importiert; sie sind pausiert.</translation>
    </message>
</context>
<context>
    <name>JobList</name>
    <message>
        <source>Cannot be imported</source>
        <translation>Lässt sich nicht importieren</translation>
    </message>
    <message>
        <source>Imported before</source>
        <translation>Schon importiert</translation>
    </message>
    <message>
        <source>Jobs found</source>
        <translation>Gefundene Aufgaben</translation>
    </message>
    <message>
        <source>Left out</source>
        <translation>Weggelassen</translation>
    </message>
    <message>
        <source>{words} · times differ</source>
        <translation>{words} · andere Termine</translation>
    </message>
</context>
<context>
    <name>LogView</name>
    <message>
        <source>Copy log</source>
        <translation>Protokoll kopieren</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>Protokoll</translation>
    </message>
    <message>
        <source>No results</source>
        <translation>Keine Treffer</translation>
    </message>
    <message>
        <source>Search this log</source>
        <translation>Durchsuchen</translation>
    </message>
    <message>
        <source>{place} of {number}</source>
        <translation>{place} von {number}</translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>Back</source>
        <translation>Zurück</translation>
    </message>
    <message>
        <source>Close window</source>
        <translation>Fenster schließen</translation>
    </message>
    <message>
        <source>Everything resumed.</source>
        <translation>Alles läuft weiter.</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>Hilfe</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Beenden</translation>
    </message>
    <message>
        <source>Refresh</source>
        <translation>Neu laden</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Suchen</translation>
    </message>
</context>
<context>
    <name>MetricsSection</name>
    <message>
        <source>Choose a folder</source>
        <translation>Ordner wählen</translation>
    </message>
    <message>
        <source>Choose f&amp;older…</source>
        <translation>Ord&amp;ner wählen …</translation>
    </message>
    <message>
        <source>Folder for monitoring</source>
        <translation>Ordner für die Überwachung</translation>
    </message>
    <message>
        <source>For Prometheus and similar programs: {file} with the numbers of runs, failures and waiting requests, and the names of your workflows. Other users of this computer may be able to read it.</source>
        <translation>Für Prometheus und ähnliche Programme: {file} mit der Zahl der Läufe, Fehler und offenen Anfragen und den Namen deiner Abläufe. Andere Benutzer dieses Computers können sie vielleicht lesen.</translation>
    </message>
    <message>
        <source>Write metrics to a file every minute</source>
        <translation>Jede Minute Messwerte in eine Datei schreiben</translation>
    </message>
</context>
<context>
    <name>Navigation</name>
    <message>
        <source>Pages</source>
        <translation>Seiten</translation>
    </message>
</context>
<context>
    <name>NewWorkflowDialog</name>
    <message>
        <source>Add</source>
        <translation>Hinzufügen</translation>
    </message>
    <message>
        <source>New workflow</source>
        <translation>Neuer Ablauf</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>Starten</translation>
    </message>
    <message>
        <source>Templates</source>
        <translation>Vorlagen</translation>
    </message>
    <message>
        <source>Import jobs…</source>
        <translation>Aufgaben importieren …</translation>
    </message>
    <message>
        <source>{name} added, paused.</source>
        <translation>{name} hinzugefügt, pausiert.</translation>
    </message>
    <message>
        <source>{name} started.</source>
        <translation>{name} gestartet.</translation>
    </message>
</context>
<context>
    <name>OutcomeStrip</name>
    <message>
        <source>Recent outcomes</source>
        <translation>Letzte Ergebnisse</translation>
    </message>
</context>
<context>
    <name>OverviewTab</name>
    <message>
        <source>1 item pending</source>
        <translation>1 Eintrag offen</translation>
    </message>
    <message>
        <source>1 run</source>
        <translation>1 Lauf</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>Details</translation>
    </message>
    <message>
        <source>It has not run yet.</source>
        <translation>Er ist noch nicht gelaufen.</translation>
    </message>
    <message>
        <source>Last 7 days: {counted}</source>
        <translation>Letzte 7 Tage: {counted}</translation>
    </message>
    <message>
        <source>Nothing was scheduled in the last 7 days.</source>
        <translation>In den letzten 7 Tagen war nichts geplant.</translation>
    </message>
    <message>
        <source>Recent runs</source>
        <translation>Letzte Läufe</translation>
    </message>
    <message>
        <source>When it runs</source>
        <translation>Wann er läuft</translation>
    </message>
    <message>
        <source>no runs</source>
        <translation>keine Läufe</translation>
    </message>
    <message>
        <source>{done} of {number} scheduled</source>
        <translation>{done} von {number} geplanten</translation>
    </message>
    <message>
        <source>{number} dropped</source>
        <translation>{number} verworfen</translation>
    </message>
    <message>
        <source>{number} failed</source>
        <translation>{number} fehlgeschlagen</translation>
    </message>
    <message>
        <source>{number} items pending</source>
        <translation>{number} Einträge offen</translation>
    </message>
    <message>
        <source>{number} missed</source>
        <translation>{number} verpasst</translation>
    </message>
    <message>
        <source>{number} not approved</source>
        <translation>{number} ohne Zustimmung</translation>
    </message>
    <message>
        <source>{number} replaced</source>
        <translation>{number} ersetzt</translation>
    </message>
    <message>
        <source>{number} runs</source>
        <translation>{number} Läufe</translation>
    </message>
    <message>
        <source>{number} skipped</source>
        <translation>{number} übersprungen</translation>
    </message>
    <message>
        <source>{number} stopped</source>
        <translation>{number} gestoppt</translation>
    </message>
</context>
<context>
    <name>PageTextDialog</name>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Choose a text</source>
        <translation>Text auswählen</translation>
    </message>
    <message>
        <source>Only &amp;prices</source>
        <translation>Nur &amp;Preise</translation>
    </message>
    <message>
        <source>Reading the page</source>
        <translation>Die Seite wird gelesen</translation>
    </message>
    <message>
        <source>Reading the page…</source>
        <translation>Die Seite wird gelesen …</translation>
    </message>
    <message>
        <source>Search this page</source>
        <translation>Seite durchsuchen</translation>
    </message>
    <message>
        <source>Texts on the page</source>
        <translation>Texte auf der Seite</translation>
    </message>
    <message>
        <source>Watch this</source>
        <translation>Das beobachten</translation>
    </message>
    <message>
        <source>What should be watched?</source>
        <translation>Was soll beobachtet werden?</translation>
    </message>
</context>
<context>
    <name>PageTextField</name>
    <message>
        <source>Choose on the page…</source>
        <translation>Auf der Seite auswählen …</translation>
    </message>
    <message>
        <source>Enter the address of the page first.</source>
        <translation>Gib zuerst die Adresse der Seite ein.</translation>
    </message>
</context>
<context>
    <name>PagedText</name>
    <message>
        <source>Next page</source>
        <translation>Nächste Seite</translation>
    </message>
    <message>
        <source>Previous page</source>
        <translation>Vorige Seite</translation>
    </message>
    <message>
        <source>page {page} of {pages}</source>
        <translation>Seite {page} von {pages}</translation>
    </message>
    <message>
        <source>{number} characters</source>
        <translation>{number} Zeichen</translation>
    </message>
</context>
<context>
    <name>PauseBanner</name>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
</context>
<context>
    <name>PendingEventsList</name>
    <message>
        <source>And {number} more.</source>
        <translation>Und {number} weitere.</translation>
    </message>
    <message>
        <source>{title} skipped.</source>
        <translation>{title} übersprungen.</translation>
    </message>
</context>
<context>
    <name>PermissionsTab</name>
    <message>
        <source>Allow</source>
        <translation>Erlauben</translation>
    </message>
    <message>
        <source>Always allowed: {names}. Revoke the permission to be asked again.</source>
        <translation>Immer erlaubt: {names}. Widerrufe die Erlaubnis, um wieder gefragt zu werden.</translation>
    </message>
    <message>
        <source>Connect…</source>
        <translation>Verbinden …</translation>
    </message>
    <message>
        <source>It uses no connections.</source>
        <translation>Er nutzt keine Verbindungen.</translation>
    </message>
    <message>
        <source>Not connected yet: {names}.</source>
        <translation>Noch nicht verbunden: {names}.</translation>
    </message>
    <message>
        <source>Revoke</source>
        <translation>Widerrufen</translation>
    </message>
    <message>
        <source>What it may use</source>
        <translation>Was er nutzen darf</translation>
    </message>
    <message>
        <source>What the script uses. It asks before it uses anything you have not allowed.</source>
        <translation>Was das Skript nutzt. Bevor es etwas nutzt, das du nicht erlaubt hast, fragt es.</translation>
    </message>
    <message>
        <source>{words} (not allowed yet)</source>
        <translation>{words} (noch nicht erlaubt)</translation>
    </message>
    <message>
        <source>{words}, allowed</source>
        <translation>{words}, erlaubt</translation>
    </message>
</context>
<context>
    <name>PopupWindow</name>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
</context>
<context>
    <name>QuitFlow</name>
    <message>
        <source>Dayhand can wait up to 30 seconds for it to finish. If you quit now, it checks at the next start whether the action happened.</source>
        <translation>Dayhand kann bis zu 30 Sekunden darauf warten. Wenn du jetzt beendest, prüft es beim nächsten Start, ob die Aktion geschehen ist.</translation>
    </message>
    <message>
        <source>Dayhand can wait up to 30 seconds for them to finish. If you quit now, it checks at the next start whether the actions happened.</source>
        <translation>Dayhand kann bis zu 30 Sekunden darauf warten. Wenn du jetzt beendest, prüft es beim nächsten Start, ob die Aktionen geschehen sind.</translation>
    </message>
    <message>
        <source>Don&apos;t quit</source>
        <translation>Nicht beenden</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Beenden</translation>
    </message>
    <message>
        <source>Quit now</source>
        <translation>Jetzt beenden</translation>
    </message>
    <message>
        <source>Wait, then quit</source>
        <translation>Warten, dann beenden</translation>
    </message>
    <message>
        <source>Waiting for the action to finish…</source>
        <translation>Wartet, bis die Aktion fertig ist …</translation>
    </message>
    <message>
        <source>{names} are in the middle of an action.</source>
        <translation>{names} führen gerade eine Aktion aus.</translation>
    </message>
    <message>
        <source>{names} is in the middle of an action.</source>
        <translation>{names} führt gerade eine Aktion aus.</translation>
    </message>
</context>
<context>
    <name>ReadyPage</name>
    <message>
        <source>&amp;Open the script in my editor</source>
        <translation>Skript in meinem Editor ö&amp;ffnen</translation>
    </message>
    <message>
        <source>Advanced</source>
        <translation>Erweitert</translation>
    </message>
    <message>
        <source>Checking the answers</source>
        <translation>Die Antworten werden geprüft</translation>
    </message>
    <message>
        <source>Choose where to save the script</source>
        <translation>Speicherort für das Skript auswählen</translation>
    </message>
    <message>
        <source>It does this without asking you first.</source>
        <translation>Er tut das, ohne dich vorher zu fragen.</translation>
    </message>
    <message>
        <source>It gets these permissions:</source>
        <translation>Er bekommt diese Erlaubnisse:</translation>
    </message>
    <message>
        <source>Save the script as</source>
        <translation>Skript speichern unter</translation>
    </message>
    <message>
        <source>Start &amp;paused</source>
        <translation>&amp;Pausiert beginnen</translation>
    </message>
</context>
<context>
    <name>ReportDialog</name>
    <message>
        <source>Report</source>
        <translation>Bericht</translation>
    </message>
    <message>
        <source>Time span</source>
        <translation>Zeitraum</translation>
    </message>
    <message>
        <source>Today</source>
        <translation>Heute</translation>
    </message>
    <message>
        <source>Last 7 days</source>
        <translation>Letzte 7 Tage</translation>
    </message>
    <message>
        <source>Last 30 days</source>
        <translation>Letzte 30 Tage</translation>
    </message>
    <message>
        <source>Last year</source>
        <translation>Letztes Jahr</translation>
    </message>
    <message>
        <source>&amp;Copy</source>
        <translation>&amp;Kopieren</translation>
    </message>
    <message>
        <source>&amp;Save…</source>
        <translation>&amp;Speichern…</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Copied.</source>
        <translation>Kopiert.</translation>
    </message>
    <message>
        <source>Save the report as</source>
        <translation>Bericht speichern unter</translation>
    </message>
    <message>
        <source>Saved.</source>
        <translation>Gespeichert.</translation>
    </message>
</context>
<context>
    <name>ReportSection</name>
    <message>
        <source>Choose a mail connection</source>
        <translation>Mail-Verbindung wählen</translation>
    </message>
    <message>
        <source>Yourself, the sender of the connection</source>
        <translation>Du selbst, der Absender der Verbindung</translation>
    </message>
    <message>
        <source>Mail a report</source>
        <translation>Bericht per Mail</translation>
    </message>
    <message>
        <source>Through</source>
        <translation>Über</translation>
    </message>
    <message>
        <source>To</source>
        <translation>An</translation>
    </message>
    <message>
        <source>It says what ran, what you approved, what did not run and why, and what waits for you. Today shows the same under Report. Connect a mail server on the Connections page.</source>
        <translation>Er sagt, was lief, was du erlaubt hast, was nicht lief und warum, und was auf dich wartet. Dasselbe zeigt „Heute“ unter „Bericht“. Verbinde einen Mailserver auf der Seite Verbindungen.</translation>
    </message>
</context>
<context>
    <name>RequestCard</name>
    <message>
        <source>Show technical details</source>
        <translation>Technische Details zeigen</translation>
    </message>
    <message>
        <source>Technical details</source>
        <translation>Technische Details</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
</context>
<context>
    <name>RequestCards</name>
    <message>
        <source>Already answered.</source>
        <translation>Schon beantwortet.</translation>
    </message>
</context>
<context>
    <name>RowGrid</name>
    <message>
        <source>Add row</source>
        <translation>Zeile hinzufügen</translation>
    </message>
    <message>
        <source>Remove row</source>
        <translation>Zeile entfernen</translation>
    </message>
</context>
<context>
    <name>RowPane</name>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Open workflow</source>
        <translation>Ablauf öffnen</translation>
    </message>
    <message>
        <source>Show these runs</source>
        <translation>Diese Läufe zeigen</translation>
    </message>
    <message>
        <source>planned {time}</source>
        <translation>geplant {time}</translation>
    </message>
</context>
<context>
    <name>RunPane</name>
    <message>
        <source>Answer</source>
        <translation>Antworten</translation>
    </message>
    <message>
        <source>Attempts, steps with times, data</source>
        <translation>Versuche, Schritte mit Zeiten, Daten</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Copy ID</source>
        <translation>ID kopieren</translation>
    </message>
    <message>
        <source>Open workflow</source>
        <translation>Ablauf öffnen</translation>
    </message>
    <message>
        <source>Run again</source>
        <translation>Erneut ausführen</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Stoppen</translation>
    </message>
    <message>
        <source>Technical details</source>
        <translation>Technische Details</translation>
    </message>
    <message>
        <source>This run printed nothing.</source>
        <translation>Dieser Lauf hat nichts ausgegeben.</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Noch einmal versuchen</translation>
    </message>
    <message>
        <source>What is being done</source>
        <translation>Was gerade getan wird</translation>
    </message>
    <message>
        <source>What may have been done</source>
        <translation>Was vielleicht getan wurde</translation>
    </message>
    <message>
        <source>What was done</source>
        <translation>Was getan wurde</translation>
    </message>
    <message>
        <source>What was not done</source>
        <translation>Was nicht getan wurde</translation>
    </message>
    <message>
        <source>What was requested</source>
        <translation>Was verlangt wurde</translation>
    </message>
    <message>
        <source>What was tried</source>
        <translation>Was versucht wurde</translation>
    </message>
    <message>
        <source>You changed this before approving it:</source>
        <translation>Das hast du vor der Zustimmung geändert:</translation>
    </message>
    <message>
        <source>took {span}</source>
        <translation>dauerte {span}</translation>
    </message>
    <message>
        <source>{file}, line {line}</source>
        <translation>{file}, Zeile {line}</translation>
    </message>
</context>
<context>
    <name>RunningNow</name>
    <message>
        <source>Running now</source>
        <translation>Läuft gerade</translation>
    </message>
    <message>
        <source>since {time}</source>
        <translation>seit {time}</translation>
    </message>
</context>
<context>
    <name>ScheduleBlock</name>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Catch-up runs</source>
        <translation>Nachgeholte Läufe</translation>
    </message>
    <message>
        <source>Catch-up runs: {made} of {total}</source>
        <translation>Nachgeholt: {made} von {total}</translation>
    </message>
    <message>
        <source>Change schedule…</source>
        <translation>Zeitplan ändern …</translation>
    </message>
    <message>
        <source>Run missed times…</source>
        <translation>Termine nachholen …</translation>
    </message>
    <message>
        <source>Run now</source>
        <translation>Jetzt starten</translation>
    </message>
    <message>
        <source>Skip next</source>
        <translation>Nächsten überspringen</translation>
    </message>
    <message>
        <source>{action}: {words}</source>
        <translation>{action}: {words}</translation>
    </message>
</context>
<context>
    <name>ScheduleDefaultsSection</name>
    <message>
        <source>Changes apply to upcoming runs of every schedule that does not set its own value.</source>
        <translation>Änderungen gelten für kommende Läufe aller Zeitpläne ohne eigenen Wert.</translation>
    </message>
    <message>
        <source>If the previous check is still going</source>
        <translation>Wenn die vorige Prüfung noch läuft</translation>
    </message>
    <message>
        <source>Missed runs queued at a time</source>
        <translation>Verpasste Läufe auf einmal</translation>
    </message>
    <message>
        <source>Spread missed runs over</source>
        <translation>Verpasste Läufe verteilen über</translation>
    </message>
    <message>
        <source>Vary start times</source>
        <translation>Startzeiten streuen</translation>
    </message>
    <message>
        <source>Waiting runs per schedule</source>
        <translation>Wartende Läufe je Zeitplan</translation>
    </message>
    <message>
        <source>Waiting runs per schedule, at most</source>
        <translation>Wartende Läufe je Zeitplan, höchstens</translation>
    </message>
</context>
<context>
    <name>ScheduleDialog</name>
    <message>
        <source>Applies until the script&apos;s own schedule changes.</source>
        <translation>Gilt, bis sich der Zeitplan im Skript selbst ändert.</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Speichern</translation>
    </message>
    <message>
        <source>Save mine</source>
        <translation>Meinen speichern</translation>
    </message>
    <message>
        <source>Saved: {theirs}
Yours: {mine}</source>
        <translation>Gespeichert: {theirs}
Deiner: {mine}</translation>
    </message>
    <message>
        <source>Schedule changed.</source>
        <translation>Zeitplan geändert.</translation>
    </message>
    <message>
        <source>The schedule was changed elsewhere while you were editing. Nothing has been saved yet.</source>
        <translation>Der Zeitplan wurde währenddessen anderswo geändert. Noch ist nichts gespeichert.</translation>
    </message>
    <message>
        <source>This schedule was removed; there is nothing to change.</source>
        <translation>Dieser Zeitplan wurde entfernt; es gibt nichts zu ändern.</translation>
    </message>
    <message>
        <source>Use the saved schedule</source>
        <translation>Gespeicherten Zeitplan nehmen</translation>
    </message>
    <message>
        <source>When it runs</source>
        <translation>Wann er läuft</translation>
    </message>
</context>
<context>
    <name>ScheduleEditor</name>
    <message>
        <source>&amp;Runs</source>
        <translation>&amp;Läuft</translation>
    </message>
    <message>
        <source>No further runs.</source>
        <translation>Danach keine weiteren Läufe.</translation>
    </message>
    <message>
        <source>No upcoming runs.</source>
        <translation>Keine Läufe mehr geplant.</translation>
    </message>
    <message>
        <source>This computer&apos;s time zone ({zone})</source>
        <translation>Zeitzone dieses Computers ({zone})</translation>
    </message>
    <message>
        <source>Time &amp;zone</source>
        <translation>Zeit&amp;zone</translation>
    </message>
    <message>
        <source>Time zone</source>
        <translation>Zeitzone</translation>
    </message>
</context>
<context>
    <name>SchedulePicker</name>
    <message>
        <source>At intervals</source>
        <translation>In Abständen</translation>
    </message>
    <message>
        <source>Cron expression</source>
        <translation>Cron-Ausdruck</translation>
    </message>
    <message>
        <source>Daily</source>
        <translation>Täglich</translation>
    </message>
    <message>
        <source>Day of the month</source>
        <translation>Tag des Monats</translation>
    </message>
    <message>
        <source>How often</source>
        <translation>Wie oft</translation>
    </message>
    <message>
        <source>Keep as is</source>
        <translation>So lassen</translation>
    </message>
    <message>
        <source>Monthly</source>
        <translation>Monatlich</translation>
    </message>
    <message>
        <source>Number</source>
        <translation>Anzahl</translation>
    </message>
    <message>
        <source>Set in the script; not changed until you choose something else.</source>
        <translation>Im Skript festgelegt; bleibt so, bis du etwas anderes wählst.</translation>
    </message>
    <message>
        <source>Time of day</source>
        <translation>Uhrzeit</translation>
    </message>
    <message>
        <source>Unit of time</source>
        <translation>Zeiteinheit</translation>
    </message>
    <message>
        <source>Weekly</source>
        <translation>Wöchentlich</translation>
    </message>
    <message>
        <source>at</source>
        <translation>um</translation>
    </message>
    <message>
        <source>days</source>
        <translation>Tage</translation>
    </message>
    <message>
        <source>hours</source>
        <translation>Stunden</translation>
    </message>
    <message>
        <source>minute  hour  day  month  weekday; separate expressions with semicolons</source>
        <translation>Minute  Stunde  Tag  Monat  Wochentag; mehrere Ausdrücke durch Semikolon trennen</translation>
    </message>
    <message>
        <source>minutes</source>
        <translation>Minuten</translation>
    </message>
    <message>
        <source>on day {number}</source>
        <translation>am {number}.</translation>
    </message>
    <message>
        <source>on the last day</source>
        <translation>am letzten Tag</translation>
    </message>
    <message>
        <source>seconds</source>
        <translation>Sekunden</translation>
    </message>
</context>
<context>
    <name>ScriptEditor</name>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Close without saving</source>
        <translation>Ohne Speichern schließen</translation>
    </message>
    <message>
        <source>Close without saving your changes?</source>
        <translation>Schließen, ohne die Änderungen zu speichern?</translation>
    </message>
    <message>
        <source>Copy path</source>
        <translation>Pfad kopieren</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Speichern</translation>
    </message>
    <message>
        <source>Saved. Checking…</source>
        <translation>Gespeichert. Wird geprüft …</translation>
    </message>
    <message>
        <source>Saved. Choose Update to run this version from now on.</source>
        <translation>Gespeichert. „Aktualisieren“ wählen, damit ab jetzt diese Version läuft.</translation>
    </message>
    <message>
        <source>Script</source>
        <translation>Skript</translation>
    </message>
    <message>
        <source>Show in folder</source>
        <translation>Im Ordner zeigen</translation>
    </message>
    <message>
        <source>Update…</source>
        <translation>Aktualisieren …</translation>
    </message>
</context>
<context>
    <name>SettingsPage</name>
    <message>
        <source>&amp;Appearance</source>
        <translation>&amp;Aussehen</translation>
    </message>
    <message>
        <source>&amp;Keep history for</source>
        <translation>&amp;Verlauf behalten</translation>
    </message>
    <message>
        <source>&amp;Language (after restart)</source>
        <translation>&amp;Sprache (nach Neustart)</translation>
    </message>
    <message>
        <source>&amp;Notify me when something needs my attention</source>
        <translation>&amp;Benachrichtigen, wenn etwas zu klären ist</translation>
    </message>
    <message>
        <source>&amp;Quiet hours</source>
        <translation>&amp;Ruhezeit</translation>
    </message>
    <message>
        <source>A command, for example: code --goto {file}:{line}</source>
        <translation>Ein Befehl, zum Beispiel: code --goto {file}:{line}</translation>
    </message>
    <message>
        <source>A script&apos;s own settings take precedence.</source>
        <translation>Eigene Einstellungen eines Skripts haben Vorrang.</translation>
    </message>
    <message>
        <source>Advanced</source>
        <translation>Erweitert</translation>
    </message>
    <message>
        <source>Appearance</source>
        <translation>Aussehen</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>Daten</translation>
    </message>
    <message>
        <source>Dayhand</source>
        <translation>Dayhand</translation>
    </message>
    <message>
        <source>Edito&amp;r for scripts</source>
        <translation>Editor für S&amp;kripte</translation>
    </message>
    <message>
        <source>Editor</source>
        <translation>Editor</translation>
    </message>
    <message>
        <source>General</source>
        <translation>Allgemein</translation>
    </message>
    <message>
        <source>History</source>
        <translation>Verlauf</translation>
    </message>
    <message>
        <source>If the previous run is &amp;still going</source>
        <translation>Wenn der Lauf davor noch &amp;läuft</translation>
    </message>
    <message>
        <source>If the previous run is still going</source>
        <translation>Wenn der Lauf davor noch läuft</translation>
    </message>
    <message>
        <source>Keep history for</source>
        <translation>Verlauf behalten</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Sprache</translation>
    </message>
    <message>
        <source>Let appro&amp;val requests through</source>
        <translation>&amp;Freigaben durchlassen</translation>
    </message>
    <message>
        <source>Misse&amp;d runs</source>
        <translation>Verpasste L&amp;äufe</translation>
    </message>
    <message>
        <source>Missed runs</source>
        <translation>Verpasste Läufe</translation>
    </message>
    <message>
        <source>Monitoring</source>
        <translation>Überwachung</translation>
    </message>
    <message>
        <source>Notifications</source>
        <translation>Benachrichtigungen</translation>
    </message>
    <message>
        <source>Parallel r&amp;uns</source>
        <translation>Parallele Lä&amp;ufe</translation>
    </message>
    <message>
        <source>Parallel runs</source>
        <translation>Parallele Läufe</translation>
    </message>
    <message>
        <source>Quiet from</source>
        <translation>Ruhe ab</translation>
    </message>
    <message>
        <source>Quiet until</source>
        <translation>Ruhe bis</translation>
    </message>
    <message>
        <source>Repairs</source>
        <translation>Reparaturen</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>Läufe</translation>
    </message>
    <message>
        <source>Send a test notification</source>
        <translation>Test-Benachrichtigung senden</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Start in the background &amp;when I log in</source>
        <translation>Beim An&amp;melden im Hintergrund starten</translation>
    </message>
    <message>
        <source>System default</source>
        <translation>Systemstandard</translation>
    </message>
    <message>
        <source>Test notification sent. If it does not appear, check your system&apos;s notification settings.</source>
        <translation>Test-Benachrichtigung gesendet. Wenn sie nicht erscheint, prüfe die Benachrichtigungs-Einstellungen deines Systems.</translation>
    </message>
    <message>
        <source>This is a test notification. Everything works.</source>
        <translation>Das ist eine Test-Benachrichtigung. Alles funktioniert.</translation>
    </message>
    <message>
        <source>from</source>
        <translation>von</translation>
    </message>
    <message>
        <source>until</source>
        <translation>bis</translation>
    </message>
    <message>
        <source>{number} days</source>
        <translation>{number} Tage</translation>
    </message>
    <message>
        <source>Away from the desk</source>
        <translation>Unterwegs</translation>
    </message>
    <message>
        <source>Reports</source>
        <translation>Berichte</translation>
    </message>
</context>
<context>
    <name>ShowAllDialog</name>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
</context>
<context>
    <name>Snackbar</name>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
</context>
<context>
    <name>TemplateDialog</name>
    <message>
        <source>Back</source>
        <translation>Zurück</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>Weiter</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
</context>
<context>
    <name>Timeline</name>
    <message>
        <source>Earlier runs are in History</source>
        <translation>Frühere Läufe stehen im Verlauf</translation>
    </message>
    <message>
        <source>Timeline of the day</source>
        <translation>Zeitleiste des Tages</translation>
    </message>
</context>
<context>
    <name>TimelinePanel</name>
    <message>
        <source>Runs of the day</source>
        <translation>Läufe des Tages</translation>
    </message>
    <message>
        <source>Show as list</source>
        <translation>Als Liste zeigen</translation>
    </message>
    <message>
        <source>Show as timeline</source>
        <translation>Als Zeitleiste zeigen</translation>
    </message>
    <message>
        <source>Show the whole day</source>
        <translation>Ganzen Tag zeigen</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>Zeitleiste</translation>
    </message>
    <message>
        <source>Use the arrow keys to move between runs, or choose Show as list.</source>
        <translation>Mit den Pfeiltasten von Lauf zu Lauf wechseln oder „Als Liste zeigen“ wählen.</translation>
    </message>
</context>
<context>
    <name>TodayPage</name>
    <message>
        <source>1 run went well and had nothing to report.</source>
        <translation>1 Lauf ging gut und hatte nichts zu berichten.</translation>
    </message>
    <message>
        <source>Each chore is a workflow; start from a template, no programming needed. This page shows what your workflows do.</source>
        <translation>Jede Aufgabe ist ein Ablauf; beginne mit einer Vorlage, ganz ohne Programmieren. Diese Seite zeigt, was deine Abläufe tun.</translation>
    </message>
    <message>
        <source>Needs your attention</source>
        <translation>Zu klären</translation>
    </message>
    <message>
        <source>No workflows yet</source>
        <translation>Noch keine Abläufe</translation>
    </message>
    <message>
        <source>New workflow…</source>
        <translation>Neuer Ablauf …</translation>
    </message>
    <message>
        <source>Nothing yet today.</source>
        <translation>Heute noch nichts.</translation>
    </message>
    <message>
        <source>Preparing the sample…</source>
        <translation>Das Beispiel wird vorbereitet …</translation>
    </message>
    <message>
        <source>See History for more.</source>
        <translation>Mehr steht im Verlauf.</translation>
    </message>
    <message>
        <source>Show all {number}</source>
        <translation>Alle {number} zeigen</translation>
    </message>
    <message>
        <source>Today</source>
        <translation>Heute</translation>
    </message>
    <message>
        <source>Try the sample</source>
        <translation>Beispiel ausprobieren</translation>
    </message>
    <message>
        <source>What happened</source>
        <translation>Was geschah</translation>
    </message>
    <message>
        <source>{number} runs went well and had nothing to report.</source>
        <translation>{number} Läufe gingen gut und hatten nichts zu berichten.</translation>
    </message>
    <message>
        <source>&amp;Report…</source>
        <translation>&amp;Bericht…</translation>
    </message>
</context>
<context>
    <name>VersionsTab</name>
    <message>
        <source>No earlier version</source>
        <translation>Keine frühere Version</translation>
    </message>
    <message>
        <source>Roll back to this version…</source>
        <translation>Zu dieser Version zurück …</translation>
    </message>
    <message>
        <source>Version {number}</source>
        <translation>Version {number}</translation>
    </message>
    <message>
        <source>Version {number} · {when}</source>
        <translation>Version {number} · {when}</translation>
    </message>
    <message>
        <source>Versions</source>
        <translation>Versionen</translation>
    </message>
    <message>
        <source>in use</source>
        <translation>in Gebrauch</translation>
    </message>
    <message>
        <source>repair</source>
        <translation>Reparatur</translation>
    </message>
    <message>
        <source>rolled back</source>
        <translation>zurückgewechselt</translation>
    </message>
</context>
<context>
    <name>WelcomeDialog</name>
    <message>
        <source>&amp;Back</source>
        <translation>&amp;Zurück</translation>
    </message>
    <message>
        <source>&amp;Start when I log in</source>
        <translation>Beim An&amp;melden starten</translation>
    </message>
    <message>
        <source>A sample workflow reads a folder with three receipts.</source>
        <translation>Ein Beispiel-Ablauf liest einen Ordner mit drei Belegen.</translation>
    </message>
    <message>
        <source>Before it sends or changes anything, it shows you exactly what, and waits for your approval.</source>
        <translation>Bevor etwas gesendet oder geändert wird, zeigt es dir genau, was, und wartet auf deine Zustimmung.</translation>
    </message>
    <message>
        <source>Closing the window does not quit Dayhand; its icon stays in the tray.</source>
        <translation>Das Fenster zu schließen beendet Dayhand nicht; das Symbol bleibt im Infobereich.</translation>
    </message>
    <message>
        <source>Dayhand does your chores, and asks first</source>
        <translation>Dayhand erledigt deine Aufgaben und fragt vorher</translation>
    </message>
    <message>
        <source>Each chore is a workflow; start from a template, no programming needed.</source>
        <translation>Jede Aufgabe ist ein Ablauf; beginne mit einer Vorlage, ganz ohne Programmieren.</translation>
    </message>
    <message>
        <source>It asks before it adds them to a table. You approve or reject.</source>
        <translation>Er fragt, bevor er sie in eine Tabelle einträgt. Du stimmst zu oder lehnst ab.</translation>
    </message>
    <message>
        <source>It needs no network and no account, and you can remove it at any time.</source>
        <translation>Er braucht kein Netz und kein Konto, und du kannst ihn jederzeit entfernen.</translation>
    </message>
    <message>
        <source>It runs them on time, on this computer, even after sleep or a crash.</source>
        <translation>Pünktlich, auf diesem Computer, selbst nach Ruhezustand oder Absturz.</translation>
    </message>
    <message>
        <source>It stays out of your way</source>
        <translation>Es steht nicht im Weg</translation>
    </message>
    <message>
        <source>Its files are stored in {folder}.</source>
        <translation>Seine Dateien liegen in {folder}.</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>Weiter</translation>
    </message>
    <message>
        <source>Nothing is done twice, and you can always see what happened and why.</source>
        <translation>Nichts wird doppelt getan, und du siehst immer, was geschah und warum.</translation>
    </message>
    <message>
        <source>Preparing the sample</source>
        <translation>Das Beispiel wird vorbereitet</translation>
    </message>
    <message>
        <source>Preparing the sample…</source>
        <translation>Das Beispiel wird vorbereitet …</translation>
    </message>
    <message>
        <source>S&amp;kip</source>
        <translation>Ü&amp;berspringen</translation>
    </message>
    <message>
        <source>See it in action</source>
        <translation>Sieh es in Aktion</translation>
    </message>
    <message>
        <source>Start the sample</source>
        <translation>Beispiel starten</translation>
    </message>
    <message>
        <source>Welcome to Dayhand</source>
        <translation>Willkommen bei Dayhand</translation>
    </message>
    <message>
        <source>When something needs your attention, you get a notification, and the tray icon changes.</source>
        <translation>Wenn etwas zu klären ist, bekommst du eine Benachrichtigung, und das Symbol ändert sich.</translation>
    </message>
    <message>
        <source>{place} of {number}</source>
        <translation>{place} von {number}</translation>
    </message>
</context>
<context>
    <name>WindowFoot</name>
    <message>
        <source>Help</source>
        <translation>Hilfe</translation>
    </message>
</context>
<context>
    <name>WorkflowPane</name>
    <message>
        <source>&amp;Overview</source>
        <translation>Ü&amp;bersicht</translation>
    </message>
    <message>
        <source>&amp;Settings</source>
        <translation>E&amp;instellungen</translation>
    </message>
    <message>
        <source>&amp;Versions</source>
        <translation>&amp;Versionen</translation>
    </message>
    <message>
        <source>Allowed.</source>
        <translation>Erlaubt.</translation>
    </message>
    <message>
        <source>Archive</source>
        <translation>Archivieren</translation>
    </message>
    <message>
        <source>Archive {name}?</source>
        <translation>{name} archivieren?</translation>
    </message>
    <message>
        <source>Catch-up cancelled.</source>
        <translation>Nachholen abgebrochen.</translation>
    </message>
    <message>
        <source>Change answers…</source>
        <translation>Antworten ändern …</translation>
    </message>
    <message>
        <source>Everything resumed.</source>
        <translation>Alles läuft weiter.</translation>
    </message>
    <message>
        <source>It becomes a new version. Data stored by runs is kept.</source>
        <translation>Sie wird zu einer neuen Version. Gespeicherte Daten der Läufe bleiben.</translation>
    </message>
    <message>
        <source>It updates whenever its file is saved.</source>
        <translation>Er wird aktualisiert, sobald seine Datei gespeichert wird.</translation>
    </message>
    <message>
        <source>It will not run until you add it again.</source>
        <translation>Er läuft nicht, bis du ihn wieder hinzufügst.</translation>
    </message>
    <message>
        <source>Its file is no longer watched.</source>
        <translation>Seine Datei wird nicht mehr beobachtet.</translation>
    </message>
    <message>
        <source>P&amp;ermissions</source>
        <translation>&amp;Erlaubnisse</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pausieren</translation>
    </message>
    <message>
        <source>Pause for…</source>
        <translation>Pausieren für …</translation>
    </message>
    <message>
        <source>Paused until you resume it.</source>
        <translation>Pausiert, bis du ihn fortsetzt.</translation>
    </message>
    <message>
        <source>Paused; it will not run until then.</source>
        <translation>Pausiert; bis dahin läuft er nicht.</translation>
    </message>
    <message>
        <source>Permission revoked.</source>
        <translation>Erlaubnis widerrufen.</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Remove {name} and all its history?</source>
        <translation>{name} mit dem ganzen Verlauf entfernen?</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Resumed.</source>
        <translation>Läuft weiter.</translation>
    </message>
    <message>
        <source>Review</source>
        <translation>Ansehen</translation>
    </message>
    <message>
        <source>Roll back</source>
        <translation>Zurückwechseln</translation>
    </message>
    <message>
        <source>Roll back to version {number}?</source>
        <translation>Zu Version {number} zurückwechseln?</translation>
    </message>
    <message>
        <source>Rolled back to version {number}.</source>
        <translation>Zu Version {number} zurückgewechselt.</translation>
    </message>
    <message>
        <source>Run now</source>
        <translation>Jetzt starten</translation>
    </message>
    <message>
        <source>Run…</source>
        <translation>Ausführen …</translation>
    </message>
    <message>
        <source>Started.</source>
        <translation>Gestartet.</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Stoppen</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>Wird gestoppt …</translation>
    </message>
    <message>
        <source>Test run…</source>
        <translation>Probelauf …</translation>
    </message>
    <message>
        <source>The next run will be skipped.</source>
        <translation>Der nächste Lauf wird übersprungen.</translation>
    </message>
    <message>
        <source>This cannot be undone. Your script file is kept.</source>
        <translation>Das lässt sich nicht rückgängig machen. Deine Skriptdatei bleibt.</translation>
    </message>
    <message>
        <source>This workflow no longer exists.</source>
        <translation>Diesen Ablauf gibt es nicht mehr.</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Noch einmal versuchen</translation>
    </message>
    <message>
        <source>Trying again…</source>
        <translation>Neuer Versuch …</translation>
    </message>
    <message>
        <source>{name} archived.</source>
        <translation>{name} archiviert.</translation>
    </message>
    <message>
        <source>{name} removed.</source>
        <translation>{name} entfernt.</translation>
    </message>
    <message>
        <source>← Workflows</source>
        <translation>← Abläufe</translation>
    </message>
</context>
<context>
    <name>WorkflowSettingsTab</name>
    <message>
        <source>Archive…</source>
        <translation>Archivieren …</translation>
    </message>
    <message>
        <source>Archiving stops the workflow and keeps its history; add it again to bring it back. Removing deletes the workflow and its history. Your script file is kept in both cases.</source>
        <translation>Archivieren stoppt den Ablauf und behält seinen Verlauf; füge ihn wieder hinzu, um ihn zurückzuholen. Entfernen löscht den Ablauf und seinen Verlauf. Deine Skriptdatei bleibt in beiden Fällen.</translation>
    </message>
    <message>
        <source>None. Tags are set in the script: Workflow(…, tags=[…]).</source>
        <translation>Keine. Schlagwörter stehen im Skript: Workflow(…, tags=[…]).</translation>
    </message>
    <message>
        <source>Open file</source>
        <translation>Datei öffnen</translation>
    </message>
    <message>
        <source>Remove with history…</source>
        <translation>Mit Verlauf entfernen …</translation>
    </message>
    <message>
        <source>Script</source>
        <translation>Skript</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>Schlagwörter</translation>
    </message>
    <message>
        <source>The file has other contents than the version in use. Update… shows them, or why they cannot be used.</source>
        <translation>Die Datei hat einen anderen Inhalt als die benutzte Version. „Aktualisieren …“ zeigt ihn, oder warum er nicht benutzt werden kann.</translation>
    </message>
    <message>
        <source>Update whenever the &amp;file is saved</source>
        <translation>Aktualisieren, sobald die &amp;Datei gespeichert wird</translation>
    </message>
    <message>
        <source>Update…</source>
        <translation>Aktualisieren …</translation>
    </message>
    <message>
        <source>When you no longer need it</source>
        <translation>Wenn du ihn nicht mehr brauchst</translation>
    </message>
</context>
<context>
    <name>WorkflowsList</name>
    <message>
        <source>Workflows</source>
        <translation>Abläufe</translation>
    </message>
</context>
<context>
    <name>WorkflowsPage</name>
    <message>
        <source>1 workflow</source>
        <translation>1 Ablauf</translation>
    </message>
    <message>
        <source>Add a script</source>
        <translation>Skript hinzufügen</translation>
    </message>
    <message>
        <source>Add a script…</source>
        <translation>Skript hinzufügen …</translation>
    </message>
    <message>
        <source>All states</source>
        <translation>Alle Zustände</translation>
    </message>
    <message>
        <source>All tags</source>
        <translation>Alle Schlagwörter</translation>
    </message>
    <message>
        <source>Each chore is a workflow; start from a template, no programming needed, or drop your own .py file here. You see what it may do before anything runs.</source>
        <translation>Jede Aufgabe ist ein Ablauf; beginne mit einer Vorlage, ganz ohne Programmieren, oder lege eine eigene .py-Datei hier ab. Du siehst, was er darf, bevor etwas läuft.</translation>
    </message>
    <message>
        <source>Everything resumed.</source>
        <translation>Alles läuft weiter.</translation>
    </message>
    <message>
        <source>Import…</source>
        <translation>Importieren …</translation>
    </message>
    <message>
        <source>New workflow…</source>
        <translation>Neuer Ablauf …</translation>
    </message>
    <message>
        <source>No matches</source>
        <translation>Keine Treffer</translation>
    </message>
    <message>
        <source>No workflow matches this search and these filters.</source>
        <translation>Kein Ablauf passt zu dieser Suche und diesen Filtern.</translation>
    </message>
    <message>
        <source>No workflows yet</source>
        <translation>Noch keine Abläufe</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pausieren</translation>
    </message>
    <message>
        <source>Python files (*.py)</source>
        <translation>Python-Dateien (*.py)</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Run now</source>
        <translation>Jetzt starten</translation>
    </message>
    <message>
        <source>Search workflows</source>
        <translation>Abläufe durchsuchen</translation>
    </message>
    <message>
        <source>Show all</source>
        <translation>Alle zeigen</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Tag</source>
        <translation>Schlagwort</translation>
    </message>
    <message>
        <source>Workflows</source>
        <translation>Abläufe</translation>
    </message>
    <message>
        <source>{all} workflows</source>
        <translation>{all} Abläufe</translation>
    </message>
    <message>
        <source>{name} is paused until you resume it.</source>
        <translation>{name} ist pausiert, bis du ihn fortsetzt.</translation>
    </message>
    <message>
        <source>{name} resumed.</source>
        <translation>{name} läuft weiter.</translation>
    </message>
    <message>
        <source>{name} started.</source>
        <translation>{name} gestartet.</translation>
    </message>
    <message>
        <source>{number} workflows are paused until you resume them.</source>
        <translation>{number} Abläufe sind pausiert, bis du sie fortsetzt.</translation>
    </message>
    <message>
        <source>{number} workflows resumed.</source>
        <translation>{number} Abläufe laufen weiter.</translation>
    </message>
    <message>
        <source>{shown} of {all} workflows</source>
        <translation>{shown} von {all} Abläufen</translation>
    </message>
</context>
<context>
    <name>answers</name>
    <message>
        <source>1 file</source>
        <translation>1 Datei</translation>
    </message>
    <message>
        <source>A repair is being prepared.</source>
        <translation>Eine Reparatur wird vorbereitet.</translation>
    </message>
    <message>
        <source>Action</source>
        <translation>Aktion</translation>
    </message>
    <message>
        <source>Allow</source>
        <translation>Erlauben</translation>
    </message>
    <message>
        <source>Allowed.</source>
        <translation>Erlaubt.</translation>
    </message>
    <message>
        <source>Allowed. Continuing…</source>
        <translation>Erlaubt. Es geht weiter …</translation>
    </message>
    <message>
        <source>Always allow this</source>
        <translation>Immer erlauben</translation>
    </message>
    <message>
        <source>Always allow this, and approve 1 other</source>
        <translation>Immer erlauben und 1 weiteren Anfrage zustimmen</translation>
    </message>
    <message>
        <source>Always allow this, and approve {number} others</source>
        <translation>Immer erlauben und {number} weiteren Anfragen zustimmen</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>Antworten</translation>
    </message>
    <message>
        <source>Answered.</source>
        <translation>Beantwortet.</translation>
    </message>
    <message>
        <source>Answered. Continuing…</source>
        <translation>Beantwortet. Es geht weiter …</translation>
    </message>
    <message>
        <source>Applied.</source>
        <translation>Angewendet.</translation>
    </message>
    <message>
        <source>Apply</source>
        <translation>Anwenden</translation>
    </message>
    <message>
        <source>Approve</source>
        <translation>Zustimmen</translation>
    </message>
    <message>
        <source>Approve with changes</source>
        <translation>Mit Änderungen zustimmen</translation>
    </message>
    <message>
        <source>Approved with your changes.</source>
        <translation>Mit deinen Änderungen zugestimmt.</translation>
    </message>
    <message>
        <source>Approved with your changes. Continuing…</source>
        <translation>Mit den Änderungen zugestimmt. Es geht weiter …</translation>
    </message>
    <message>
        <source>Approved.</source>
        <translation>Zugestimmt.</translation>
    </message>
    <message>
        <source>Approved. Continuing…</source>
        <translation>Zugestimmt. Es geht weiter …</translation>
    </message>
    <message>
        <source>Approved. You won&apos;t be asked about this again.</source>
        <translation>Zugestimmt. Danach wirst du nicht mehr gefragt.</translation>
    </message>
    <message>
        <source>Asks for permission</source>
        <translation>Bittet um Erlaubnis</translation>
    </message>
    <message>
        <source>Asks for your approval</source>
        <translation>Bittet um Zustimmung</translation>
    </message>
    <message>
        <source>Check these addresses</source>
        <translation>Prüfe diese Adressen</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>Befehl</translation>
    </message>
    <message>
        <source>Connection</source>
        <translation>Verbindung</translation>
    </message>
    <message>
        <source>Connect…</source>
        <translation>Verbinden …</translation>
    </message>
    <message>
        <source>Currently there</source>
        <translation>Derzeit dort</translation>
    </message>
    <message>
        <source>Did it happen?</source>
        <translation>Ist es geschehen?</translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation>Ausblenden</translation>
    </message>
    <message>
        <source>Dismissed.</source>
        <translation>Ausgeblendet.</translation>
    </message>
    <message>
        <source>Dismissed. It stays stopped until you try again on the page of the workflow.</source>
        <translation>Ausgeblendet. Es bleibt gestoppt, bis du es auf der Seite des Ablaufs noch einmal versuchst.</translation>
    </message>
    <message>
        <source>Don&apos;t allow</source>
        <translation>Nicht erlauben</translation>
    </message>
    <message>
        <source>Don&apos;t apply</source>
        <translation>Nicht anwenden</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>Bearbeiten</translation>
    </message>
    <message>
        <source>Edit…</source>
        <translation>Bearbeiten …</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Fehlgeschlagen</translation>
    </message>
    <message>
        <source>File, {size}, modified {when}</source>
        <translation>Datei, {size}, geändert {when}</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>Ordner</translation>
    </message>
    <message>
        <source>Has a question</source>
        <translation>Hat eine Frage</translation>
    </message>
    <message>
        <source>Have it repaired…</source>
        <translation>Reparieren lassen …</translation>
    </message>
    <message>
        <source>It didn&apos;t</source>
        <translation>Ist nicht geschehen</translation>
    </message>
    <message>
        <source>It had finished</source>
        <translation>War fertig</translation>
    </message>
    <message>
        <source>It happened</source>
        <translation>Ist geschehen</translation>
    </message>
    <message>
        <source>Keep it</source>
        <translation>Behalten</translation>
    </message>
    <message>
        <source>Keeps failing</source>
        <translation>Schlägt immer wieder fehl</translation>
    </message>
    <message>
        <source>Last output</source>
        <translation>Letzte Ausgabe</translation>
    </message>
    <message>
        <source>Line {number}</source>
        <translation>Zeile {number}</translation>
    </message>
    <message>
        <source>Link to {place}</source>
        <translation>Verknüpfung zu {place}</translation>
    </message>
    <message>
        <source>Next run</source>
        <translation>Nächster Lauf</translation>
    </message>
    <message>
        <source>No</source>
        <translation>Nein</translation>
    </message>
    <message>
        <source>Not allowed.</source>
        <translation>Nicht erlaubt.</translation>
    </message>
    <message>
        <source>Not allowed; skipped.</source>
        <translation>Nicht erlaubt; übersprungen.</translation>
    </message>
    <message>
        <source>Not before you resume it or run it again</source>
        <translation>Erst wenn du fortsetzt oder erneut ausführst</translation>
    </message>
    <message>
        <source>Not connected</source>
        <translation>Nicht verbunden</translation>
    </message>
    <message>
        <source>Only the first {number} values were checked for look-alike addresses.</source>
        <translation>Nur die ersten {number} Werte wurden auf täuschend ähnliche Adressen geprüft.</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Open workflow</source>
        <translation>Ablauf öffnen</translation>
    </message>
    <message>
        <source>Reason</source>
        <translation>Grund</translation>
    </message>
    <message>
        <source>Reason (optional)</source>
        <translation>Grund (optional)</translation>
    </message>
    <message>
        <source>Reject</source>
        <translation>Ablehnen</translation>
    </message>
    <message>
        <source>Rejected.</source>
        <translation>Abgelehnt.</translation>
    </message>
    <message>
        <source>Rejected; skipped.</source>
        <translation>Abgelehnt; übersprungen.</translation>
    </message>
    <message>
        <source>Reject…</source>
        <translation>Ablehnen …</translation>
    </message>
    <message>
        <source>Reminder: expires {time} and then counts as rejected.</source>
        <translation>Erinnerung: läuft {time} ab und gilt dann als abgelehnt.</translation>
    </message>
    <message>
        <source>Reminder: please answer by {time}.</source>
        <translation>Erinnerung: Bitte bis {time} antworten.</translation>
    </message>
    <message>
        <source>Repair is ready</source>
        <translation>Reparatur liegt bereit</translation>
    </message>
    <message>
        <source>Reports a problem</source>
        <translation>Meldet ein Problem</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Resumed; it runs at its next time.</source>
        <translation>Fortgesetzt; läuft zum nächsten Termin.</translation>
    </message>
    <message>
        <source>Review</source>
        <translation>Ansehen</translation>
    </message>
    <message>
        <source>Roll back</source>
        <translation>Zurückwechseln</translation>
    </message>
    <message>
        <source>Rolled back to the previous version.</source>
        <translation>Zur vorigen Version zurückgewechselt.</translation>
    </message>
    <message>
        <source>Rolled back.</source>
        <translation>Zurückgewechselt.</translation>
    </message>
    <message>
        <source>Run again</source>
        <translation>Erneut ausführen</translation>
    </message>
    <message>
        <source>Run it again</source>
        <translation>Noch einmal starten</translation>
    </message>
    <message>
        <source>Running again…</source>
        <translation>Wird erneut ausgeführt …</translation>
    </message>
    <message>
        <source>Script error</source>
        <translation>Fehler im Skript</translation>
    </message>
    <message>
        <source>Show log</source>
        <translation>Protokoll anzeigen</translation>
    </message>
    <message>
        <source>Show what was sent</source>
        <translation>Zeigen, was gesendet wurde</translation>
    </message>
    <message>
        <source>Skip</source>
        <translation>Überspringen</translation>
    </message>
    <message>
        <source>Skipped.</source>
        <translation>Übersprungen.</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>Gestoppt</translation>
    </message>
    <message>
        <source>Thank you. The workflow continues.</source>
        <translation>Danke. Der Ablauf geht weiter.</translation>
    </message>
    <message>
        <source>The repaired script is now in use.</source>
        <translation>Das reparierte Skript ist jetzt in Gebrauch.</translation>
    </message>
    <message>
        <source>The repaired script stays in use.</source>
        <translation>Das reparierte Skript bleibt in Gebrauch.</translation>
    </message>
    <message>
        <source>The script was not changed.</source>
        <translation>Das Skript wurde nicht geändert.</translation>
    </message>
    <message>
        <source>The workflow asks: {words}</source>
        <translation>Der Ablauf fragt: {words}</translation>
    </message>
    <message>
        <source>The workflow says: {words}</source>
        <translation>Der Ablauf sagt: {words}</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Noch einmal versuchen</translation>
    </message>
    <message>
        <source>Trying again…</source>
        <translation>Neuer Versuch …</translation>
    </message>
    <message>
        <source>Waiting for the keyring</source>
        <translation>Wartet auf den Schlüsselbund</translation>
    </message>
    <message>
        <source>Wants to know something before it continues</source>
        <translation>Möchte etwas wissen, bevor es weitergeht</translation>
    </message>
    <message>
        <source>Was interrupted</source>
        <translation>Wurde unterbrochen</translation>
    </message>
    <message>
        <source>Was repaired</source>
        <translation>Wurde repariert</translation>
    </message>
    <message>
        <source>Yes</source>
        <translation>Ja</translation>
    </message>
    <message>
        <source>expires {time}</source>
        <translation>läuft {time} ab</translation>
    </message>
    <message>
        <source>please answer by {time}</source>
        <translation>bitte bis {time} antworten</translation>
    </message>
    <message>
        <source>{number} files</source>
        <translation>{number} Dateien</translation>
    </message>
    <message>
        <source>{wire} looks like {meant} but is a different server.</source>
        <translation>{wire} sieht aus wie {meant}, ist aber ein anderer Server.</translation>
    </message>
    <message>
        <source>Ping failed</source>
        <translation>Ping fehlgeschlagen</translation>
    </message>
    <message>
        <source>Overdue</source>
        <translation>Überfällig</translation>
    </message>
    <message>
        <source>Unusual duration</source>
        <translation>Ungewöhnliche Dauer</translation>
    </message>
    <message>
        <source>It printed nothing.</source>
        <translation>Es hat nichts ausgegeben.</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>Art</translation>
    </message>
</context>
<context>
    <name>answers change</name>
    <message>
        <source>This workflow was not made from a template.</source>
        <translation>Dieser Ablauf wurde nicht aus einer Vorlage erstellt.</translation>
    </message>
    <message>
        <source>This workflow&apos;s file was changed by hand and is not in use yet: {file}. Choose Update in its settings, then change the answers.</source>
        <translation>Die Datei dieses Ablaufs wurde von Hand geändert und ist noch nicht in Gebrauch: {file}. Zuerst in seinen Einstellungen „Aktualisieren“ wählen, dann die Antworten ändern.</translation>
    </message>
    <message>
        <source>{file} cannot be read: {why}.</source>
        <translation>{file} lässt sich nicht lesen: {why}.</translation>
    </message>
    <message>
        <source>{file} cannot be written: {why}.</source>
        <translation>{file} lässt sich nicht schreiben: {why}.</translation>
    </message>
</context>
<context>
    <name>autostart</name>
    <message>
        <source>Dayhand cannot start automatically on this system. Add it to the programs that start at login.</source>
        <translation>Auf diesem System kann Dayhand nicht automatisch starten. Füge es den Programmen hinzu, die beim Anmelden starten.</translation>
    </message>
    <message>
        <source>Starting at login could not be turned off: {why}. Check that you may write to {path}.</source>
        <translation>Der Start beim Anmelden ließ sich nicht ausschalten: {why}. Prüfe, ob du {path} schreiben darfst.</translation>
    </message>
    <message>
        <source>Starting at login could not be turned on: {why}. Check that you may write to {path}.</source>
        <translation>Der Start beim Anmelden ließ sich nicht einschalten: {why}. Prüfe, ob du {path} schreiben darfst.</translation>
    </message>
</context>
<context>
    <name>backing up</name>
    <message>
        <source>The backup failed: {why}</source>
        <translation>Die Sicherung ist fehlgeschlagen: {why}</translation>
    </message>
</context>
<context>
    <name>channels</name>
    <message>
        <source>Asks for your approval to {ability}</source>
        <translation>Bittet um deine Zustimmung: {ability}</translation>
    </message>
    <message>
        <source>{said} (1 item).</source>
        <translation>{said} (1 Eintrag).</translation>
    </message>
    <message>
        <source>{said} ({number} items).</source>
        <translation>{said} ({number} Einträge).</translation>
    </message>
    <message>
        <source>Answer at your computer.</source>
        <translation>Antworte an deinem Computer.</translation>
    </message>
    <message>
        <source>Approve it at your computer.</source>
        <translation>Stimme an deinem Computer zu.</translation>
    </message>
    <message>
        <source>{number} messages</source>
        <translation>{number} Nachrichten</translation>
    </message>
    <message>
        <source>Message from {workflow}: {title}</source>
        <translation>Nachricht von {workflow}: {title}</translation>
    </message>
    <message>
        <source>To confirm, send your four-digit code.</source>
        <translation>Sende zur Bestätigung deinen vierstelligen Code.</translation>
    </message>
    <message>
        <source>To confirm, send the code that your authenticator app shows now to this topic.</source>
        <translation>Sende zur Bestätigung den Code, den deine Authenticator-App gerade zeigt, an dieses Thema.</translation>
    </message>
    <message>
        <source>{action}: {name}</source>
        <translation>{action}: {name}</translation>
    </message>
    <message>
        <source>No longer needed.</source>
        <translation>Nicht mehr nötig.</translation>
    </message>
    <message>
        <source>This message is too old. Answer at your computer.</source>
        <translation>Diese Nachricht ist zu alt. Antworte an deinem Computer.</translation>
    </message>
    <message>
        <source>Approved</source>
        <translation>Zugestimmt</translation>
    </message>
    <message>
        <source>Rejected</source>
        <translation>Abgelehnt</translation>
    </message>
    <message>
        <source>Expired without an answer</source>
        <translation>Ohne Antwort abgelaufen</translation>
    </message>
    <message>
        <source>No longer needed</source>
        <translation>Nicht mehr nötig</translation>
    </message>
    <message>
        <source>Answered</source>
        <translation>Beantwortet</translation>
    </message>
    <message>
        <source>Running again</source>
        <translation>Läuft noch einmal</translation>
    </message>
    <message>
        <source>{answer}, through {channel}.</source>
        <translation>{answer}, über {channel}.</translation>
    </message>
    <message>
        <source>{answer}, at your computer.</source>
        <translation>{answer}, an deinem Computer.</translation>
    </message>
    <message>
        <source>Nothing can be sent to your phone or mailbox: install Qt&apos;s libraries ({error}).</source>
        <translation>An dein Handy oder Postfach kann nichts gesendet werden: Installiere die Bibliotheken von Qt ({error}).</translation>
    </message>
</context>
<context>
    <name>choices</name>
    <message>
        <source>Header</source>
        <translation>Header</translation>
    </message>
    <message>
        <source>None</source>
        <translation>Keine</translation>
    </message>
    <message>
        <source>STARTTLS</source>
        <translation>STARTTLS</translation>
    </message>
    <message>
        <source>Sign-in in the browser (OAuth 2)</source>
        <translation>Anmeldung im Browser (OAuth 2)</translation>
    </message>
    <message>
        <source>TLS</source>
        <translation>TLS</translation>
    </message>
    <message>
        <source>Token (bearer)</source>
        <translation>Token (bearer)</translation>
    </message>
    <message>
        <source>User name and password (basic)</source>
        <translation>Benutzername und Passwort (basic)</translation>
    </message>
    <message>
        <source>Healthchecks</source>
        <translation>Healthchecks</translation>
    </message>
    <message>
        <source>Uptime Kuma</source>
        <translation>Uptime Kuma</translation>
    </message>
    <message>
        <source>Another, only on success</source>
        <translation>Ein anderer, nur bei Erfolg</translation>
    </message>
</context>
<context>
    <name>connections</name>
    <message>
        <source>Connected</source>
        <translation>Verbunden</translation>
    </message>
    <message>
        <source>Not connected yet</source>
        <translation>Noch nicht verbunden</translation>
    </message>
    <message>
        <source>Reconnect</source>
        <translation>Neu verbinden</translation>
    </message>
    <message>
        <source>{kind} · not used</source>
        <translation>{kind} · ungenutzt</translation>
    </message>
    <message>
        <source>{kind} · used by {number} workflows</source>
        <translation>{kind} · genutzt von {number} Abläufen</translation>
    </message>
    <message>
        <source>{kind} · used by {users}</source>
        <translation>{kind} · genutzt von {users}</translation>
    </message>
</context>
<context>
    <name>connectors</name>
    <message>
        <source>A bot token of that app; leave empty to sign in through the browser.</source>
        <translation>Ein Bot-Token dieser App; leer lassen, um dich im Browser anzumelden.</translation>
    </message>
    <message>
        <source>A file that ends in .csv, .sqlite, .sqlite3 or .db; created if it does not exist.</source>
        <translation>Eine Datei mit der Endung .csv, .sqlite, .sqlite3 oder .db; wird bei Bedarf angelegt.</translation>
    </message>
    <message>
        <source>A passphrase or token for the commands of jobs, passed through a pipe.</source>
        <translation>Eine Passphrase oder ein Token für Befehle von Jobs, übergeben durch eine Pipe.</translation>
    </message>
    <message>
        <source>Account</source>
        <translation>Konto</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>Adresse</translation>
    </message>
    <message>
        <source>Address of the feed itself, for example https://example.org/feed.xml.</source>
        <translation>Adresse des Feeds selbst, zum Beispiel https://example.org/feed.xml.</translation>
    </message>
    <message>
        <source>Adds rows to a CSV or SQLite file on this computer, and reads them.</source>
        <translation>Fügt Zeilen an eine CSV- oder SQLite-Datei auf diesem Computer an und liest sie.</translation>
    </message>
    <message>
        <source>Base address of the API, for example https://api.example.org/v1; nothing outside it is used.</source>
        <translation>Basisadresse der API, zum Beispiel https://api.example.org/v1; nichts außerhalb wird benutzt.</translation>
    </message>
    <message>
        <source>Calendar</source>
        <translation>Kalender</translation>
    </message>
    <message>
        <source>Certificate</source>
        <translation>Zertifikat</translation>
    </message>
    <message>
        <source>Client ID</source>
        <translation>Client-ID</translation>
    </message>
    <message>
        <source>Client secret</source>
        <translation>Client-Geheimnis</translation>
    </message>
    <message>
        <source>Downloads</source>
        <translation>Downloads</translation>
    </message>
    <message>
        <source>Encryption</source>
        <translation>Verschlüsselung</translation>
    </message>
    <message>
        <source>Extra certificate to trust (PEM), for a server with a self-signed certificate.</source>
        <translation>Zusätzliches vertrauenswürdiges Zertifikat (PEM), für einen Server mit selbst signiertem Zertifikat.</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>Files</source>
        <translation>Dateien</translation>
    </message>
    <message>
        <source>Filled in when you sign in.</source>
        <translation>Wird beim Anmelden ausgefüllt.</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>Ordner</translation>
    </message>
    <message>
        <source>Folder for downloaded files.</source>
        <translation>Ordner für heruntergeladene Dateien.</translation>
    </message>
    <message>
        <source>For example imap.example.org.</source>
        <translation>Zum Beispiel imap.example.org.</translation>
    </message>
    <message>
        <source>For example imap.example.org. Dayhand saves sent mail there, and checks it if sending is unclear.</source>
        <translation>Zum Beispiel imap.example.org. Dayhand speichert dort gesendete Mails und prüft dort, wenn das Senden unklar ist.</translation>
    </message>
    <message>
        <source>For example smtp.example.org.</source>
        <translation>Zum Beispiel smtp.example.org.</translation>
    </message>
    <message>
        <source>For the basic login.</source>
        <translation>Für die Anmeldung basic.</translation>
    </message>
    <message>
        <source>For the oauth2 login, for example https://example.org/oauth/authorize.</source>
        <translation>Für die Anmeldung oauth2, zum Beispiel https://example.org/oauth/authorize.</translation>
    </message>
    <message>
        <source>For the oauth2 login, for example https://example.org/oauth/token.</source>
        <translation>Für die Anmeldung oauth2, zum Beispiel https://example.org/oauth/token.</translation>
    </message>
    <message>
        <source>For the oauth2 login, separated by spaces.</source>
        <translation>Für die Anmeldung oauth2, durch Leerzeichen getrennt.</translation>
    </message>
    <message>
        <source>For the oauth2 login: from the app that you registered with the service.</source>
        <translation>Für die Anmeldung oauth2: aus der App, die du beim Dienst registriert hast.</translation>
    </message>
    <message>
        <source>Formulas</source>
        <translation>Formeln</translation>
    </message>
    <message>
        <source>From</source>
        <translation>Von</translation>
    </message>
    <message>
        <source>From the Google Cloud console: an OAuth client of type desktop app.</source>
        <translation>Aus der Google-Cloud-Konsole: ein OAuth-Client vom Typ Desktop-App.</translation>
    </message>
    <message>
        <source>From the app that you created for your workspace, under Basic Information.</source>
        <translation>Aus der App, die du für deinen Workspace angelegt hast, unter Basic Information.</translation>
    </message>
    <message>
        <source>Google</source>
        <translation>Google</translation>
    </message>
    <message>
        <source>Header</source>
        <translation>Header</translation>
    </message>
    <message>
        <source>How to log in to the API.</source>
        <translation>Wie die Anmeldung bei der API funktioniert.</translation>
    </message>
    <message>
        <source>IMAP encryption</source>
        <translation>IMAP-Verschlüsselung</translation>
    </message>
    <message>
        <source>IMAP password</source>
        <translation>IMAP-Passwort</translation>
    </message>
    <message>
        <source>IMAP port</source>
        <translation>IMAP-Port</translation>
    </message>
    <message>
        <source>IMAP server</source>
        <translation>IMAP-Server</translation>
    </message>
    <message>
        <source>IMAP user name</source>
        <translation>IMAP-Benutzername</translation>
    </message>
    <message>
        <source>If different.</source>
        <translation>Falls abweichend.</translation>
    </message>
    <message>
        <source>If it is not found automatically.</source>
        <translation>Falls er nicht automatisch gefunden wird.</translation>
    </message>
    <message>
        <source>Let texts that begin with =, +, - or @ be formulas, which a spreadsheet runs when it opens the file.</source>
        <translation>Texte, die mit =, +, - oder @ beginnen, als Formeln schreiben; eine Tabellenkalkulation führt sie beim Öffnen aus.</translation>
    </message>
    <message>
        <source>Login</source>
        <translation>Anmeldung</translation>
    </message>
    <message>
        <source>Mail (IMAP)</source>
        <translation>Mail (IMAP)</translation>
    </message>
    <message>
        <source>Mail (SMTP)</source>
        <translation>Mail (SMTP)</translation>
    </message>
    <message>
        <source>Mail, calendar and files of a Google account.</source>
        <translation>Mail, Kalender und Dateien eines Google-Kontos.</translation>
    </message>
    <message>
        <source>Name of the header that contains the value.</source>
        <translation>Name des Headers, der den Wert enthält.</translation>
    </message>
    <message>
        <source>Name of the table in a SQLite file.</source>
        <translation>Name der Tabelle in einer SQLite-Datei.</translation>
    </message>
    <message>
        <source>News feed</source>
        <translation>Nachrichten-Feed</translation>
    </message>
    <message>
        <source>Nothing outside this folder is changed.</source>
        <translation>Außerhalb dieses Ordners wird nichts geändert.</translation>
    </message>
    <message>
        <source>Notification</source>
        <translation>Benachrichtigung</translation>
    </message>
    <message>
        <source>Often the full mail address.</source>
        <translation>Oft die ganze Mailadresse.</translation>
    </message>
    <message>
        <source>Often the full mail address; empty if the server requires no login.</source>
        <translation>Oft die ganze Mailadresse; leer, wenn der Server keine Anmeldung verlangt.</translation>
    </message>
    <message>
        <source>Only for a Google-compatible server; leave empty for Google itself.</source>
        <translation>Nur für einen Google-kompatiblen Server; für Google selbst leer lassen.</translation>
    </message>
    <message>
        <source>Only for a Slack-compatible server.</source>
        <translation>Nur für einen Slack-kompatiblen Server.</translation>
    </message>
    <message>
        <source>Only if the feed requires a login.</source>
        <translation>Nur wenn der Feed eine Anmeldung verlangt.</translation>
    </message>
    <message>
        <source>Password</source>
        <translation>Passwort</translation>
    </message>
    <message>
        <source>Password or token</source>
        <translation>Passwort oder Token</translation>
    </message>
    <message>
        <source>Port</source>
        <translation>Port</translation>
    </message>
    <message>
        <source>Reads RSS and Atom feeds.</source>
        <translation>Liest RSS- und Atom-Feeds.</translation>
    </message>
    <message>
        <source>Reads a calendar on a CalDAV server and adds events to it.</source>
        <translation>Liest einen Kalender auf einem CalDAV-Server und trägt Termine ein.</translation>
    </message>
    <message>
        <source>Reads and changes files in one folder on this computer.</source>
        <translation>Liest und ändert Dateien in einem Ordner auf diesem Computer.</translation>
    </message>
    <message>
        <source>Reads and posts messages in a Slack workspace.</source>
        <translation>Liest und schreibt Nachrichten in einem Slack-Workspace.</translation>
    </message>
    <message>
        <source>Reads from any web API, downloads from it and sends to it.</source>
        <translation>Liest aus einer beliebigen Web-API, lädt herunter und sendet dorthin.</translation>
    </message>
    <message>
        <source>Reads, moves and flags mail on a mail server.</source>
        <translation>Liest, verschiebt und kennzeichnet Mails auf einem Mailserver.</translation>
    </message>
    <message>
        <source>Restic</source>
        <translation>Restic</translation>
    </message>
    <message>
        <source>Scopes</source>
        <translation>Bereiche</translation>
    </message>
    <message>
        <source>Secret</source>
        <translation>Geheimnis</translation>
    </message>
    <message>
        <source>Sender of the mails, for example Anna &lt;anna@example.org&gt;.</source>
        <translation>Absender der Mails, zum Beispiel Anna &lt;anna@example.org&gt;.</translation>
    </message>
    <message>
        <source>Sends mail through a mail server.</source>
        <translation>Sendet Mails über einen Mailserver.</translation>
    </message>
    <message>
        <source>Sent folder</source>
        <translation>Ordner für gesendete Mails</translation>
    </message>
    <message>
        <source>Server</source>
        <translation>Server</translation>
    </message>
    <message>
        <source>Shown next to the client ID; some apps have none.</source>
        <translation>Steht neben der Client-ID; manche Apps haben keines.</translation>
    </message>
    <message>
        <source>Sign-in page</source>
        <translation>Anmeldeseite</translation>
    </message>
    <message>
        <source>Slack</source>
        <translation>Slack</translation>
    </message>
    <message>
        <source>Some providers require an app password.</source>
        <translation>Manche Anbieter verlangen ein App-Passwort.</translation>
    </message>
    <message>
        <source>Stored only in the keyring of this computer.</source>
        <translation>Wird nur im Schlüsselbund dieses Computers gespeichert.</translation>
    </message>
    <message>
        <source>Table</source>
        <translation>Tabelle</translation>
    </message>
    <message>
        <source>The password (basic), the token (bearer) or the value of the header.</source>
        <translation>Das Passwort (basic), das Token (bearer) oder der Wert des Headers.</translation>
    </message>
    <message>
        <source>The password of a restic repository, for backup jobs.</source>
        <translation>Das Passwort eines restic-Repositorys, für Backup-Jobs.</translation>
    </message>
    <message>
        <source>Token</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>Token address</source>
        <translation>Token-Adresse</translation>
    </message>
    <message>
        <source>Use an app password if you can.</source>
        <translation>Nimm am besten ein App-Passwort.</translation>
    </message>
    <message>
        <source>User name</source>
        <translation>Benutzername</translation>
    </message>
    <message>
        <source>Web API</source>
        <translation>Web-API</translation>
    </message>
    <message>
        <source>tls from the start, starttls after the greeting, or none for a server on this computer.</source>
        <translation>tls von Anfang an, starttls nach der Begrüßung, oder none für einen Server auf diesem Computer.</translation>
    </message>
    <message>
        <source>Phone (ntfy)</source>
        <translation>Handy (ntfy)</translation>
    </message>
    <message>
        <source>Phone (Telegram)</source>
        <translation>Handy (Telegram)</translation>
    </message>
    <message>
        <source>Topic</source>
        <translation>Thema</translation>
    </message>
    <message>
        <source>Access token</source>
        <translation>Zugriffstoken</translation>
    </message>
    <message>
        <source>Access token of the buttons</source>
        <translation>Zugriffstoken der Knöpfe</translation>
    </message>
    <message>
        <source>Authenticator key</source>
        <translation>Authenticator-Schlüssel</translation>
    </message>
    <message>
        <source>Bot token</source>
        <translation>Bot-Token</translation>
    </message>
    <message>
        <source>Chat</source>
        <translation>Chat</translation>
    </message>
    <message>
        <source>Four-digit code</source>
        <translation>Vierstelliger Code</translation>
    </message>
    <message>
        <source>Sends questions and news to the ntfy app on your phone.</source>
        <translation>Sendet Fragen und Neuigkeiten an die ntfy-App auf deinem Handy.</translation>
    </message>
    <message>
        <source>Your own, or the public one.</source>
        <translation>Dein eigener oder der öffentliche.</translation>
    </message>
    <message>
        <source>Only for Dayhand; long and hard to guess, for example dayhand-x7Kq2mW9.</source>
        <translation>Nur für Dayhand; lang und schwer zu erraten, zum Beispiel dayhand-x7Kq2mW9.</translation>
    </message>
    <message>
        <source>If the server asks for a login: one that may read and write both topics.</source>
        <translation>Falls der Server eine Anmeldung verlangt: eines, das beide Themen lesen und beschreiben darf.</translation>
    </message>
    <message>
        <source>If the server asks for a login: one that may only write to the topic that ends in -answers. It is part of each message.</source>
        <translation>Falls der Server eine Anmeldung verlangt: eines, das nur in das Thema mit der Endung -answers schreiben darf. Es steht in jeder Nachricht.</translation>
    </message>
    <message>
        <source>Needed to approve from the phone; dayhand channels code creates it.</source>
        <translation>Nötig, um vom Handy aus zuzustimmen; dayhand channels code erzeugt ihn.</translation>
    </message>
    <message>
        <source>Sends questions and news to your chat with a Telegram bot of your own.</source>
        <translation>Sendet Fragen und Neuigkeiten in deinen Chat mit einem eigenen Telegram-Bot.</translation>
    </message>
    <message>
        <source>From @BotFather.</source>
        <translation>Von @BotFather.</translation>
    </message>
    <message>
        <source>Your number. Leave it empty the first time; Dayhand then says who wrote to the bot.</source>
        <translation>Deine Nummer. Lass sie beim ersten Mal leer; Dayhand sagt dann, wer dem Bot geschrieben hat.</translation>
    </message>
    <message>
        <source>If set, Dayhand asks for it before what cannot be undone.</source>
        <translation>Wenn gesetzt, fragt Dayhand danach, bevor etwas geschieht, das sich nicht rückgängig machen lässt.</translation>
    </message>
    <message>
        <source>Of the Bot API.</source>
        <translation>Der Bot-API.</translation>
    </message>
    <message>
        <source>Shows notifications on this computer; notify:me also on the phone connected as ntfy:me or telegram:me.</source>
        <translation>Zeigt Benachrichtigungen auf diesem Computer; notify:me auch auf dem Handy, das als ntfy:me oder telegram:me verbunden ist.</translation>
    </message>
    <message>
        <source>Ping</source>
        <translation>Ping</translation>
    </message>
    <message>
        <source>Tells a monitoring service how runs went, so that it notices when Dayhand is dead.</source>
        <translation>Meldet einem Überwachungsdienst, wie Läufe ausgingen, damit er merkt, wenn Dayhand nicht mehr läuft.</translation>
    </message>
    <message>
        <source>As the service shows it, for example https://hc-ping.com/5f3b…. Whoever knows it can send pings, so it is stored only in the keyring.</source>
        <translation>Wie der Dienst sie anzeigt, zum Beispiel https://hc-ping.com/5f3b…. Wer sie kennt, kann Pings senden; sie wird deshalb nur im Schlüsselbund gespeichert.</translation>
    </message>
    <message>
        <source>Service</source>
        <translation>Dienst</translation>
    </message>
    <message>
        <source>Only on success: the address is just opened when a run has succeeded.</source>
        <translation>Nur bei Erfolg: Die Adresse wird einfach aufgerufen, wenn ein Lauf gelungen ist.</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>Ausgabe</translation>
    </message>
    <message>
        <source>Send the last lines that a run printed, and why it failed. The service can read them.</source>
        <translation>Die letzten Zeilen der Ausgabe eines Laufs senden, und warum er fehlschlug. Der Dienst kann sie lesen.</translation>
    </message>
    <message>
        <source>Of the calendar, or of the server that lists yours, for example https://example.org/dav/me/home/.</source>
        <translation>Des Kalenders oder des Servers, der deine auflistet, zum Beispiel https://example.org/dav/me/home/.</translation>
    </message>
</context>
<context>
    <name>details</name>
    <message>
        <source>(empty list)</source>
        <translation>(leere Liste)</translation>
    </message>
    <message>
        <source>(empty object)</source>
        <translation>(leeres Objekt)</translation>
    </message>
    <message>
        <source>(empty)</source>
        <translation>(leer)</translation>
    </message>
    <message>
        <source>1 row</source>
        <translation>1 Zeile</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>Details</translation>
    </message>
    <message>
        <source>Long names are shortened.</source>
        <translation>Lange Namen sind gekürzt.</translation>
    </message>
    <message>
        <source>More values</source>
        <translation>Weitere Werte</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Select all</source>
        <translation>Alles auswählen</translation>
    </message>
    <message>
        <source>Show all</source>
        <translation>Alles zeigen</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>Wert</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>Werte</translation>
    </message>
    <message>
        <source>no</source>
        <translation>nein</translation>
    </message>
    <message>
        <source>the first {number} shown</source>
        <translation>die ersten {number} sichtbar</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>ja</translation>
    </message>
    <message>
        <source>{number} characters</source>
        <translation>{number} Zeichen</translation>
    </message>
    <message>
        <source>{number} rows</source>
        <translation>{number} Zeilen</translation>
    </message>
    <message>
        <source>{shown} of {number} columns shown</source>
        <translation>{shown} von {number} Spalten sichtbar</translation>
    </message>
    <message>
        <source>⟨{number} empty lines⟩</source>
        <translation>⟨{number} leere Zeilen⟩</translation>
    </message>
    <message>
        <source>⟨{number} spaces⟩</source>
        <translation>⟨{number} Leerzeichen⟩</translation>
    </message>
</context>
<context>
    <name>editing</name>
    <message>
        <source>A quotation mark is not closed in {editor}.</source>
        <translation>In {editor} ist ein Anführungszeichen nicht geschlossen.</translation>
    </message>
    <message>
        <source>{file} could not be opened. Choose an editor in Settings.</source>
        <translation>{file} konnte nicht geöffnet werden. Wähle in den Einstellungen einen Editor.</translation>
    </message>
    <message>
        <source>{file} was changed by another program. Copy your changes, and open it again.</source>
        <translation>{file} wurde von einem anderen Programm geändert. Eigene Änderungen kopieren und die Datei neu öffnen.</translation>
    </message>
    <message>
        <source>{name} was not found. Choose another editor in Settings.</source>
        <translation>{name} wurde nicht gefunden. Wähle in den Einstellungen einen anderen Editor.</translation>
    </message>
</context>
<context>
    <name>export</name>
    <message>
        <source>There is not enough disk space to import {file}. Free some space; nothing was changed.</source>
        <translation>Der Speicherplatz reicht nicht, um {file} zu importieren. Schaffe etwas Platz; nichts wurde geändert.</translation>
    </message>
    <message>
        <source>{file} is not a Dayhand export, or it is damaged. Nothing was changed.</source>
        <translation>{file} ist kein Export von Dayhand oder ist beschädigt. Nichts wurde geändert.</translation>
    </message>
    <message>
        <source>{file} was written by a newer Dayhand. Update Dayhand first; nothing was changed.</source>
        <translation>{file} stammt von einem neueren Dayhand. Aktualisiere zuerst Dayhand; nichts wurde geändert.</translation>
    </message>
    <message>
        <source>{path} cannot be read: {why}. Nothing was changed.</source>
        <translation>{path} lässt sich nicht lesen: {why}. Nichts wurde geändert.</translation>
    </message>
    <message>
        <source>{path} could not be written: {why}. Choose another place.</source>
        <translation>{path} ließ sich nicht schreiben: {why}. Wähle einen anderen Ort.</translation>
    </message>
</context>
<context>
    <name>fixes</name>
    <message>
        <source>Check carefully</source>
        <translation>Genau prüfen</translation>
    </message>
    <message>
        <source>The script failed and was repaired. It continues with version {number}.</source>
        <translation>Das Skript ist fehlgeschlagen und wurde repariert. Es läuft mit Version {number} weiter.</translation>
    </message>
    <message>
        <source>The script failed. A repair is ready for review.</source>
        <translation>Das Skript ist fehlgeschlagen. Eine Reparatur liegt zur Prüfung bereit.</translation>
    </message>
    <message>
        <source>What the repair changes</source>
        <translation>Was die Reparatur ändert</translation>
    </message>
    <message>
        <source>What went wrong</source>
        <translation>Was schiefging</translation>
    </message>
</context>
<context>
    <name>groups</name>
    <message>
        <source>Asked</source>
        <translation>Gefragt</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>{said}, and {number} others</source>
        <translation>{said}, und {number} andere</translation>
    </message>
    <message>
        <source>{said}, and 1 other</source>
        <translation>{said}, und 1 andere</translation>
    </message>
    <message>
        <source>Dismiss all {number}</source>
        <translation>Alle {number} ausblenden</translation>
    </message>
    <message>
        <source>Next group</source>
        <translation>Nächste Gruppe</translation>
    </message>
    <message>
        <source>Not everything it would do fits into the table. Open it to see all of it.</source>
        <translation>Nicht alles, was geschehen würde, passt in die Tabelle. Zeile öffnen, um alles zu sehen.</translation>
    </message>
    <message>
        <source>Nothing was sent.</source>
        <translation>Nichts wurde gesendet.</translation>
    </message>
    <message>
        <source>Open {name}</source>
        <translation>{name} öffnen</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>Ergebnis</translation>
    </message>
    <message>
        <source>Review</source>
        <translation>Ansehen</translation>
    </message>
    <message>
        <source>Run all {number} again</source>
        <translation>Alle {number} erneut ausführen</translation>
    </message>
    <message>
        <source>Show {number} more</source>
        <translation>{number} weitere zeigen</translation>
    </message>
    <message>
        <source>The workflow says</source>
        <translation>Der Ablauf sagt</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>Undo the last answer</source>
        <translation>Letzte Antwort rückgängig machen</translation>
    </message>
    <message>
        <source>Where</source>
        <translation>Wo</translation>
    </message>
    <message>
        <source>Workflow</source>
        <translation>Ablauf</translation>
    </message>
    <message>
        <source>Workflows</source>
        <translation>Abläufe</translation>
    </message>
    <message>
        <source>not selected</source>
        <translation>nicht ausgewählt</translation>
    </message>
    <message>
        <source>selected</source>
        <translation>ausgewählt</translation>
    </message>
    <message>
        <source>{number} approved.</source>
        <translation>{number} zugestimmt.</translation>
    </message>
    <message>
        <source>{number} could not be answered: {reason}</source>
        <translation>{number} nicht beantwortet: {reason}</translation>
    </message>
    <message>
        <source>{number} dismissed.</source>
        <translation>{number} ausgeblendet.</translation>
    </message>
    <message>
        <source>{number} more appear when these are answered.</source>
        <translation>{number} weitere erscheinen, wenn diese beantwortet sind.</translation>
    </message>
    <message>
        <source>{number} rejected.</source>
        <translation>{number} abgelehnt.</translation>
    </message>
    <message>
        <source>{number} requests</source>
        <translation>{number} Anfragen</translation>
    </message>
    <message>
        <source>{number} requests of {workflows} workflows</source>
        <translation>{number} Anfragen von {workflows} Abläufen</translation>
    </message>
    <message>
        <source>{number} running again.</source>
        <translation>{number} erneut gestartet.</translation>
    </message>
    <message>
        <source>{time}, does not fit</source>
        <translation>{time}, passt nicht hinein</translation>
    </message>
    <message>
        <source>{workflows} workflows</source>
        <translation>{workflows} Abläufe</translation>
    </message>
    <message>
        <source>Answered elsewhere, or no longer needed.</source>
        <translation>Woanders beantwortet oder nicht mehr nötig.</translation>
    </message>
</context>
<context>
    <name>happenings</name>
    <message>
        <source>Details</source>
        <translation>Details</translation>
    </message>
</context>
<context>
    <name>history</name>
    <message>
        <source>1 run with nothing to report</source>
        <translation>1 Lauf, nichts zu berichten</translation>
    </message>
    <message>
        <source>Attempt</source>
        <translation>Versuch</translation>
    </message>
    <message>
        <source>Attempts</source>
        <translation>Versuche</translation>
    </message>
    <message>
        <source>Checked; nothing new.</source>
        <translation>Geprüft; nichts Neues.</translation>
    </message>
    <message>
        <source>Checking whether it happened.</source>
        <translation>Prüft, ob es geschehen ist.</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>Befehl</translation>
    </message>
    <message>
        <source>Dayhand quit during this run.</source>
        <translation>Dayhand wurde während des Laufs beendet.</translation>
    </message>
    <message>
        <source>Done.</source>
        <translation>Erledigt.</translation>
    </message>
    <message>
        <source>Duration</source>
        <translation>Dauer</translation>
    </message>
    <message>
        <source>Events</source>
        <translation>Ereignisse</translation>
    </message>
    <message>
        <source>Handler</source>
        <translation>Handler</translation>
    </message>
    <message>
        <source>Idempotency key</source>
        <translation>Idempotenzschlüssel</translation>
    </message>
    <message>
        <source>Job</source>
        <translation>Aufgabe</translation>
    </message>
    <message>
        <source>Nobody answered in time, so it was not done.</source>
        <translation>Niemand hat rechtzeitig geantwortet; es wurde nicht getan.</translation>
    </message>
    <message>
        <source>Nothing to do.</source>
        <translation>Nichts zu tun.</translation>
    </message>
    <message>
        <source>Originally</source>
        <translation>Ursprünglich</translation>
    </message>
    <message>
        <source>Planned</source>
        <translation>Geplant</translation>
    </message>
    <message>
        <source>Prepared</source>
        <translation>Vorbereitet</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>Ergebnis</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>Running now.</source>
        <translation>Läuft gerade.</translation>
    </message>
    <message>
        <source>Script</source>
        <translation>Skript</translation>
    </message>
    <message>
        <source>Started</source>
        <translation>Gestartet</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>Status</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>Traceback</source>
        <translation>Traceback</translation>
    </message>
    <message>
        <source>Waiting for your answer.</source>
        <translation>Wartet auf deine Antwort.</translation>
    </message>
    <message>
        <source>What happened</source>
        <translation>Was geschah</translation>
    </message>
    <message>
        <source>When</source>
        <translation>Wann</translation>
    </message>
    <message>
        <source>Workflow</source>
        <translation>Ablauf</translation>
    </message>
    <message>
        <source>You rejected it.</source>
        <translation>Du hast es abgelehnt.</translation>
    </message>
    <message>
        <source>Your reason: {reason}</source>
        <translation>Angegebener Grund: {reason}</translation>
    </message>
    <message>
        <source>after it was added or updated</source>
        <translation>nach dem Hinzufügen oder Aktualisieren</translation>
    </message>
    <message>
        <source>answered {time}</source>
        <translation>beantwortet {time}</translation>
    </message>
    <message>
        <source>approved {time}</source>
        <translation>zugestimmt {time}</translation>
    </message>
    <message>
        <source>asked {time}</source>
        <translation>gefragt {time}</translation>
    </message>
    <message>
        <source>catch-up run</source>
        <translation>nachgeholter Lauf</translation>
    </message>
    <message>
        <source>expired {time}</source>
        <translation>abgelaufen {time}</translation>
    </message>
    <message>
        <source>for {time}</source>
        <translation>für {time}</translation>
    </message>
    <message>
        <source>more than {number}</source>
        <translation>mehr als {number}</translation>
    </message>
    <message>
        <source>new data arrived</source>
        <translation>neue Daten trafen ein</translation>
    </message>
    <message>
        <source>on schedule</source>
        <translation>nach Plan</translation>
    </message>
    <message>
        <source>rejected {time}</source>
        <translation>abgelehnt {time}</translation>
    </message>
    <message>
        <source>started by you</source>
        <translation>von dir gestartet</translation>
    </message>
    <message>
        <source>version {number}</source>
        <translation>Version {number}</translation>
    </message>
    <message>
        <source>{count} times: {sentence}</source>
        <translation>{count}-mal: {sentence}</translation>
    </message>
    <message>
        <source>{number} runs with nothing to report</source>
        <translation>{number} Läufe, nichts zu berichten</translation>
    </message>
    <message>
        <source>{number} workflows</source>
        <translation>{number} Abläufe</translation>
    </message>
    <message>
        <source>{what}, collapsed</source>
        <translation>{what}, zugeklappt</translation>
    </message>
    <message>
        <source>{what}, expanded</source>
        <translation>{what}, aufgeklappt</translation>
    </message>
    <message>
        <source>{said}, through {channel}</source>
        <translation>{said}, über {channel}</translation>
    </message>
</context>
<context>
    <name>import</name>
    <message>
        <source>From</source>
        <translation>Aus</translation>
    </message>
    <message>
        <source>Imported before, as</source>
        <translation>Schon importiert als</translation>
    </message>
    <message>
        <source>Next times</source>
        <translation>Nächste Termine</translation>
    </message>
    <message>
        <source>Next times: they differ</source>
        <translation>Nächste Termine: verschieden</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>Läuft</translation>
    </message>
    <message>
        <source>What is different</source>
        <translation>Was anders ist</translation>
    </message>
    <message>
        <source>Why it cannot be imported</source>
        <translation>Warum es sich nicht importieren lässt</translation>
    </message>
    <message>
        <source>Why it is left out</source>
        <translation>Warum es weggelassen wird</translation>
    </message>
    <message>
        <source>{file}, line {line}</source>
        <translation>{file}, Zeile {line}</translation>
    </message>
</context>
<context>
    <name>metrics</name>
    <message>
        <source>{file} could not be written: {why}. Choose another folder in Settings.</source>
        <translation>{file} konnte nicht geschrieben werden: {why}. Wähle in den Einstellungen einen anderen Ordner.</translation>
    </message>
</context>
<context>
    <name>new</name>
    <message>
        <source>A workflow named {name} already exists. Choose another name.</source>
        <translation>Es gibt schon einen Ablauf namens {name}. Wähle einen anderen Namen.</translation>
    </message>
    <message>
        <source>Choose at least one day.</source>
        <translation>Bitte mindestens einen Tag auswählen.</translation>
    </message>
    <message>
        <source>Choose it on the page.</source>
        <translation>Bitte auf der Seite auswählen.</translation>
    </message>
    <message>
        <source>Enter 0 or more.</source>
        <translation>Gib 0 oder mehr ein.</translation>
    </message>
    <message>
        <source>Enter a time such as 09:00.</source>
        <translation>Gib eine Uhrzeit ein, etwa 09:00.</translation>
    </message>
    <message>
        <source>Enter a web address such as https://example.org/page.</source>
        <translation>Gib eine Webadresse ein, etwa https://example.org/seite.</translation>
    </message>
    <message>
        <source>Enter an email address such as me@example.org.</source>
        <translation>Gib eine Mailadresse ein, etwa ich@example.org.</translation>
    </message>
    <message>
        <source>Enter one command with matching quotes. For shell syntax: sh -c &apos;…&apos;</source>
        <translation>Gib einen Befehl mit passenden Anführungszeichen ein. Für Shell-Syntax: sh -c &apos;…&apos;</translation>
    </message>
    <message>
        <source>This field is required.</source>
        <translation>Dieses Feld darf nicht leer sein.</translation>
    </message>
    <message>
        <source>This value cannot be used here.</source>
        <translation>Dieser Wert geht hier nicht.</translation>
    </message>
    <message>
        <source>Unknown time zone. Enter one such as Europe/Berlin.</source>
        <translation>Unbekannte Zeitzone. Gib eine wie Europe/Berlin ein.</translation>
    </message>
    <message>
        <source>{file} already exists. Choose another file.</source>
        <translation>{file} gibt es schon. Wähle eine andere Datei.</translation>
    </message>
    <message>
        <source>{file} cannot be written: {why}. Choose another location.</source>
        <translation>{file} lässt sich nicht schreiben: {why}. Wähle einen anderen Ort.</translation>
    </message>
    <message>
        <source>{name} has been connected in the meantime. Try again.</source>
        <translation>{name} wurde inzwischen verbunden. Bitte noch einmal versuchen.</translation>
    </message>
</context>
<context>
    <name>notices</name>
    <message>
        <source>%1 (%2 times)</source>
        <translation>%1 (%2-mal)</translation>
    </message>
    <message>
        <source>%1 items need your attention</source>
        <translation>%1 Sachen brauchen dich</translation>
    </message>
    <message>
        <source>%2: %1 items need your attention</source>
        <translation>%2: %1 Sachen brauchen dich</translation>
    </message>
    <message>
        <source>During quiet hours: %1 items need your attention</source>
        <translation>In der Ruhezeit: %1 Sachen brauchen dich</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>and %1 more</source>
        <translation>und %1 weitere</translation>
    </message>
</context>
<context>
    <name>overview</name>
    <message>
        <source>1 item needs your attention</source>
        <translation>1 Sache braucht dich</translation>
    </message>
    <message>
        <source>1 workflow needs your attention. Open it on the Workflows page.</source>
        <translation>1 Ablauf braucht dich. Öffne ihn auf der Seite „Abläufe“.</translation>
    </message>
    <message>
        <source>All is well</source>
        <translation>Alles gut</translation>
    </message>
    <message>
        <source>All workflows are paused</source>
        <translation>Alle Abläufe sind pausiert</translation>
    </message>
    <message>
        <source>Everything is paused until you resume</source>
        <translation>Alles ist bis zum Fortsetzen pausiert</translation>
    </message>
    <message>
        <source>Everything is paused until {time}</source>
        <translation>Alles ist bis {time} pausiert</translation>
    </message>
    <message>
        <source>Next: {name}, {time}</source>
        <translation>Als Nächstes: {name}, {time}</translation>
    </message>
    <message>
        <source>No workflows yet</source>
        <translation>Noch keine Abläufe</translation>
    </message>
    <message>
        <source>Offline: waiting for the network</source>
        <translation>Offline: wartet auf das Netz</translation>
    </message>
    <message>
        <source>Something went wrong inside Dayhand</source>
        <translation>In Dayhand ging etwas schief</translation>
    </message>
    <message>
        <source>Started by a script, so answers are disabled</source>
        <translation>Von einem Skript gestartet, deshalb sind Antworten gesperrt</translation>
    </message>
    <message>
        <source>{name} is running</source>
        <translation>{name} läuft</translation>
    </message>
    <message>
        <source>{name} is stopped</source>
        <translation>{name} ist gestoppt</translation>
    </message>
    <message>
        <source>{name} missed a run</source>
        <translation>{name} hat einen Lauf verpasst</translation>
    </message>
    <message>
        <source>{number} items need your attention</source>
        <translation>{number} Sachen brauchen dich</translation>
    </message>
    <message>
        <source>{number} workflows are running</source>
        <translation>{number} Abläufe laufen</translation>
    </message>
    <message>
        <source>{number} workflows are stopped</source>
        <translation>{number} Abläufe sind gestoppt</translation>
    </message>
    <message>
        <source>{number} workflows missed runs</source>
        <translation>{number} Abläufe haben Läufe verpasst</translation>
    </message>
    <message>
        <source>{number} workflows need your attention. Open them on the Workflows page.</source>
        <translation>{number} Abläufe brauchen dich. Öffne sie auf der Seite „Abläufe“.</translation>
    </message>
</context>
<context>
    <name>page</name>
    <message>
        <source>Texts that this page shows only in a browser (JavaScript) are not listed.</source>
        <translation>Texte, die diese Seite nur in einem Browser zeigt (JavaScript), stehen nicht in der Liste.</translation>
    </message>
    <message>
        <source>This address leads to a file or to data, not to a web page.</source>
        <translation>Diese Adresse führt zu einer Datei oder zu Daten, nicht zu einer Webseite.</translation>
    </message>
    <message>
        <source>This page can be read only after signing in, so it cannot be watched.</source>
        <translation>Diese Seite lässt sich nur nach einer Anmeldung lesen und deshalb nicht beobachten.</translation>
    </message>
    <message>
        <source>This page has no text to choose from.</source>
        <translation>Auf dieser Seite gibt es keinen Text zum Auswählen.</translation>
    </message>
    <message>
        <source>This page is very long; only the texts of its first part are shown.</source>
        <translation>Diese Seite ist sehr lang; nur die Texte ihres ersten Teils werden gezeigt.</translation>
    </message>
    <message>
        <source>This page shows its text only in a browser (JavaScript), so it cannot be watched.</source>
        <translation>Diese Seite zeigt ihren Text nur in einem Browser (JavaScript) und lässt sich deshalb nicht beobachten.</translation>
    </message>
    <message>
        <source>This website does not let programs read the page; it may allow only browsers.</source>
        <translation>Diese Website lässt Programme die Seite nicht lesen; vielleicht erlaubt sie nur Browser.</translation>
    </message>
</context>
<context>
    <name>pages</name>
    <message>
        <source>Attention</source>
        <translation>Zu klären</translation>
    </message>
    <message>
        <source>Connections</source>
        <translation>Verbindungen</translation>
    </message>
    <message>
        <source>History</source>
        <translation>Verlauf</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Today</source>
        <translation>Heute</translation>
    </message>
    <message>
        <source>Workflows</source>
        <translation>Abläufe</translation>
    </message>
</context>
<context>
    <name>parameters</name>
    <message>
        <source>Add</source>
        <translation>Hinzufügen</translation>
    </message>
    <message>
        <source>Attachments</source>
        <translation>Anhänge</translation>
    </message>
    <message>
        <source>Bcc</source>
        <translation>Blindkopie</translation>
    </message>
    <message>
        <source>Calendar</source>
        <translation>Kalender</translation>
    </message>
    <message>
        <source>Cc</source>
        <translation>Kopie</translation>
    </message>
    <message>
        <source>Channel</source>
        <translation>Kanal</translation>
    </message>
    <message>
        <source>Description</source>
        <translation>Beschreibung</translation>
    </message>
    <message>
        <source>Destination</source>
        <translation>Ziel</translation>
    </message>
    <message>
        <source>End</source>
        <translation>Ende</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>Ordner</translation>
    </message>
    <message>
        <source>HTML</source>
        <translation>HTML</translation>
    </message>
    <message>
        <source>Location</source>
        <translation>Ort</translation>
    </message>
    <message>
        <source>Method</source>
        <translation>Methode</translation>
    </message>
    <message>
        <source>Moves</source>
        <translation>Verschiebungen</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Overwrite existing</source>
        <translation>Vorhandenes überschreiben</translation>
    </message>
    <message>
        <source>Path</source>
        <translation>Pfad</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Rows</source>
        <translation>Zeilen</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>Quelle</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>Beginn</translation>
    </message>
    <message>
        <source>Subject</source>
        <translation>Betreff</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>Thread</source>
        <translation>Thread</translation>
    </message>
    <message>
        <source>Time zone</source>
        <translation>Zeitzone</translation>
    </message>
    <message>
        <source>Title</source>
        <translation>Titel</translation>
    </message>
    <message>
        <source>To</source>
        <translation>An</translation>
    </message>
</context>
<context>
    <name>paths</name>
    <message>
        <source>Choose a file</source>
        <translation>Datei auswählen</translation>
    </message>
    <message>
        <source>Choose a folder</source>
        <translation>Ordner auswählen</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>Auswählen …</translation>
    </message>
</context>
<context>
    <name>report</name>
    <message>
        <source>Needs your attention</source>
        <translation>Braucht dich</translation>
    </message>
    <message>
        <source>Failing</source>
        <translation>Schlägt fehl</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>Pausiert</translation>
    </message>
    <message>
        <source>What ran</source>
        <translation>Was lief</translation>
    </message>
    <message>
        <source>Your answers</source>
        <translation>Deine Antworten</translation>
    </message>
    <message>
        <source>What did not run</source>
        <translation>Was nicht lief</translation>
    </message>
    <message>
        <source>Dayhand report</source>
        <translation>Bericht von Dayhand</translation>
    </message>
    <message>
        <source>Made {time} on this computer by Dayhand.</source>
        <translation>Von Dayhand auf diesem Computer erstellt, {time}.</translation>
    </message>
    <message>
        <source>1 waits for you</source>
        <translation>1 wartet auf dich</translation>
    </message>
    <message>
        <source>{number} wait for you</source>
        <translation>{number} warten auf dich</translation>
    </message>
    <message>
        <source>Nothing ran</source>
        <translation>Nichts lief</translation>
    </message>
    <message>
        <source>1 run went well</source>
        <translation>1 Lauf ist gelungen</translation>
    </message>
    <message>
        <source>{number} runs went well</source>
        <translation>{number} Läufe sind gelungen</translation>
    </message>
    <message>
        <source>1 failed</source>
        <translation>1 fehlgeschlagen</translation>
    </message>
    <message>
        <source>{number} failed</source>
        <translation>{number} fehlgeschlagen</translation>
    </message>
    <message>
        <source>1 did not run</source>
        <translation>1 lief nicht</translation>
    </message>
    <message>
        <source>{number} did not run</source>
        <translation>{number} liefen nicht</translation>
    </message>
    <message>
        <source>and {number} more</source>
        <translation>und {number} weitere</translation>
    </message>
    <message>
        <source>since {time}</source>
        <translation>seit {time}</translation>
    </message>
    <message>
        <source>Failed once</source>
        <translation>Einmal fehlgeschlagen</translation>
    </message>
    <message>
        <source>Failed {number} times in a row</source>
        <translation>{number}-mal hintereinander fehlgeschlagen</translation>
    </message>
    <message>
        <source>Everything</source>
        <translation>Alles</translation>
    </message>
    <message>
        <source>until you resume it</source>
        <translation>bis du fortsetzt</translation>
    </message>
    <message>
        <source>until {time}</source>
        <translation>bis {time}</translation>
    </message>
    <message>
        <source>1 rejected</source>
        <translation>1 abgelehnt</translation>
    </message>
    <message>
        <source>{number} rejected or expired</source>
        <translation>{number} abgelehnt oder abgelaufen</translation>
    </message>
    <message>
        <source>1 stopped</source>
        <translation>1 gestoppt</translation>
    </message>
    <message>
        <source>{number} stopped</source>
        <translation>{number} gestoppt</translation>
    </message>
    <message>
        <source>You approved</source>
        <translation>Zugestimmt</translation>
    </message>
    <message>
        <source>You rejected</source>
        <translation>Abgelehnt</translation>
    </message>
    <message>
        <source>You answered</source>
        <translation>Beantwortet</translation>
    </message>
    <message>
        <source>Nobody answered in time</source>
        <translation>Niemand hat rechtzeitig geantwortet</translation>
    </message>
    <message>
        <source>You said that it happened</source>
        <translation>Du sagtest, dass es passiert ist</translation>
    </message>
    <message>
        <source>You said that it did not happen</source>
        <translation>Du sagtest, dass es nicht passiert ist</translation>
    </message>
    <message>
        <source>You skipped it</source>
        <translation>Übersprungen</translation>
    </message>
    <message>
        <source>at this computer</source>
        <translation>an diesem Computer</translation>
    </message>
    <message>
        <source>{time}, {place}</source>
        <translation>{time}, {place}</translation>
    </message>
    <message>
        <source>1 time</source>
        <translation>1 Termin</translation>
    </message>
    <message>
        <source>{number} times</source>
        <translation>{number} Termine</translation>
    </message>
    <message>
        <source>{first} to {last}</source>
        <translation>{first} bis {last}</translation>
    </message>
</context>
<context>
    <name>restart</name>
    <message>
        <source>Script not updated</source>
        <translation>Skript nicht aktualisiert</translation>
    </message>
</context>
<context>
    <name>run menu</name>
    <message>
        <source>It starts when the current run has ended.</source>
        <translation>Startet, wenn der aktuelle Lauf beendet ist.</translation>
    </message>
    <message>
        <source>Run in parallel</source>
        <translation>Gleichzeitig ausführen</translation>
    </message>
    <message>
        <source>Run now</source>
        <translation>Jetzt ausführen</translation>
    </message>
    <message>
        <source>Run when finished</source>
        <translation>Danach ausführen</translation>
    </message>
    <message>
        <source>Started.</source>
        <translation>Gestartet.</translation>
    </message>
    <message>
        <source>Stop the running one and run</source>
        <translation>Laufenden stoppen und ausführen</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>Wird gestoppt …</translation>
    </message>
</context>
<context>
    <name>saying</name>
    <message>
        <source>It has several parts that can run. Open it and choose one.</source>
        <translation>Er hat mehrere Teile, die laufen können. Öffne ihn und wähle einen.</translation>
    </message>
    <message>
        <source>It is blocked. See Attention for the reason.</source>
        <translation>Er kommt nicht weiter. Den Grund findest du unter „Zu klären“.</translation>
    </message>
    <message>
        <source>It is paused. Resume it first.</source>
        <translation>Er ist pausiert. Setze ihn zuerst fort.</translation>
    </message>
    <message>
        <source>It is running. Wait until it finishes, or stop it first.</source>
        <translation>Er läuft gerade. Warte, bis er fertig ist, oder stoppe ihn zuerst.</translation>
    </message>
    <message>
        <source>It is waiting for your answer. Answer in Attention first.</source>
        <translation>Er wartet auf deine Antwort. Antworte zuerst unter „Zu klären“.</translation>
    </message>
    <message>
        <source>There is nothing to retry.</source>
        <translation>Es gibt nichts zu wiederholen.</translation>
    </message>
</context>
<context>
    <name>schedule</name>
    <message>
        <source>No more runs scheduled.</source>
        <translation>Keine Läufe mehr geplant.</translation>
    </message>
    <message>
        <source>Paused: it will not run at these times.</source>
        <translation>Pausiert: Zu diesen Zeiten läuft er nicht.</translation>
    </message>
    <message>
        <source>Skipped: {time}</source>
        <translation>Übersprungen: {time}</translation>
    </message>
    <message>
        <source>Stopped after too many failures: resume it or run it again.</source>
        <translation>Nach zu vielen Fehlern gestoppt: fortsetzen oder erneut ausführen.</translation>
    </message>
</context>
<context>
    <name>script errors</name>
    <message>
        <source>&quot;{what}&quot; has no value yet</source>
        <translation>„{what}“ hat noch keinen Wert</translation>
    </message>
    <message>
        <source>&quot;{what}&quot; is missing</source>
        <translation>„{what}“ fehlt</translation>
    </message>
    <message>
        <source>&quot;{what}&quot; is not defined</source>
        <translation>„{what}“ ist nicht definiert</translation>
    </message>
    <message>
        <source>a list is shorter than expected</source>
        <translation>eine Liste ist kürzer als erwartet</translation>
    </message>
    <message>
        <source>it divides by zero</source>
        <translation>es wird durch null geteilt</translation>
    </message>
    <message>
        <source>no permission to use {what}</source>
        <translation>keine Berechtigung für {what}</translation>
    </message>
    <message>
        <source>the data is not valid JSON</source>
        <translation>die Daten sind kein gültiges JSON</translation>
    </message>
    <message>
        <source>the package {what} is not installed</source>
        <translation>das Paket {what} ist nicht installiert</translation>
    </message>
    <message>
        <source>the text has an unexpected encoding</source>
        <translation>der Text hat eine unerwartete Kodierung</translation>
    </message>
    <message>
        <source>{what} already exists</source>
        <translation>{what} gibt es schon</translation>
    </message>
    <message>
        <source>{what} does not exist</source>
        <translation>{what} gibt es nicht</translation>
    </message>
    <message>
        <source>{what} is a folder, not a file</source>
        <translation>{what} ist ein Ordner, keine Datei</translation>
    </message>
    <message>
        <source>{what} is not a folder</source>
        <translation>{what} ist kein Ordner</translation>
    </message>
</context>
<context>
    <name>settings</name>
    <message>
        <source>1 hour</source>
        <translation>1 Stunde</translation>
    </message>
    <message>
        <source>1 minute</source>
        <translation>1 Minute</translation>
    </message>
    <message>
        <source>1 workflow imported, paused. Check it, then resume it.</source>
        <translation>1 Ablauf importiert, pausiert. Sieh ihn an und setze ihn fort.</translation>
    </message>
    <message>
        <source>1 year</source>
        <translation>1 Jahr</translation>
    </message>
    <message>
        <source>15 minutes</source>
        <translation>15 Minuten</translation>
    </message>
    <message>
        <source>30 days</source>
        <translation>30 Tage</translation>
    </message>
    <message>
        <source>5 minutes</source>
        <translation>5 Minuten</translation>
    </message>
    <message>
        <source>90 days</source>
        <translation>90 Tage</translation>
    </message>
    <message>
        <source>A command on this computer</source>
        <translation>Ein Befehl auf diesem Computer</translation>
    </message>
    <message>
        <source>A model server</source>
        <translation>Ein Modell-Server</translation>
    </message>
    <message>
        <source>After I review it</source>
        <translation>Nachdem ich es geprüft habe</translation>
    </message>
    <message>
        <source>Ask the running one to stop, then start the new one</source>
        <translation>Den laufenden bitten aufzuhören, dann den neuen starten</translation>
    </message>
    <message>
        <source>By up to 1 minute later</source>
        <translation>Bis zu 1 Minute später</translation>
    </message>
    <message>
        <source>By up to 15 minutes later</source>
        <translation>Bis zu 15 Minuten später</translation>
    </message>
    <message>
        <source>By up to 30 seconds later</source>
        <translation>Bis zu 30 Sekunden später</translation>
    </message>
    <message>
        <source>By up to 5 minutes later</source>
        <translation>Bis zu 5 Minuten später</translation>
    </message>
    <message>
        <source>By up to {length} earlier or later</source>
        <translation>Bis zu {length} früher oder später</translation>
    </message>
    <message>
        <source>By up to {length} later</source>
        <translation>Bis zu {length} später</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>Dunkel</translation>
    </message>
    <message>
        <source>Forever</source>
        <translation>Für immer</translation>
    </message>
    <message>
        <source>Immediately</source>
        <translation>Sofort</translation>
    </message>
    <message>
        <source>Immediately, unless it needs my approval</source>
        <translation>Sofort, außer sie braucht meine Zustimmung</translation>
    </message>
    <message>
        <source>Kill the running one, then start the new one</source>
        <translation>Den laufenden abbrechen, dann den neuen starten</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Hell</translation>
    </message>
    <message>
        <source>No, start exactly on time</source>
        <translation>Nein, genau pünktlich starten</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>Aus</translation>
    </message>
    <message>
        <source>Only after I approve</source>
        <translation>Nur mit meiner Zustimmung</translation>
    </message>
    <message>
        <source>Reconnect: {names}.</source>
        <translation>Neu verbinden: {names}.</translation>
    </message>
    <message>
        <source>Run all of them</source>
        <translation>Alle nachholen</translation>
    </message>
    <message>
        <source>Run all of them, spread over some time</source>
        <translation>Alle nachholen, über eine Zeit verteilt</translation>
    </message>
    <message>
        <source>Run the latest one</source>
        <translation>Den letzten nachholen</translation>
    </message>
    <message>
        <source>Run them in parallel</source>
        <translation>Nebeneinander laufen lassen</translation>
    </message>
    <message>
        <source>Same as desktop</source>
        <translation>Wie mein Desktop</translation>
    </message>
    <message>
        <source>Same as system</source>
        <translation>Wie mein System</translation>
    </message>
    <message>
        <source>Skip the new run</source>
        <translation>Den neuen Lauf überspringen</translation>
    </message>
    <message>
        <source>Skip them</source>
        <translation>Überspringen</translation>
    </message>
    <message>
        <source>Start all of them afterwards, in order</source>
        <translation>Alle danach starten, der Reihe nach</translation>
    </message>
    <message>
        <source>Start the latest one afterwards</source>
        <translation>Den letzten danach starten</translation>
    </message>
    <message>
        <source>Your settings could not be read and were reset. The old file is kept as {file}.</source>
        <translation>Deine Einstellungen ließen sich nicht lesen und wurden zurückgesetzt. Die alte Datei liegt unter {file}.</translation>
    </message>
    <message>
        <source>Your settings could not be saved and apply only until Dayhand quits: {why}. Check that you have write permission in {folder}.</source>
        <translation>Deine Einstellungen ließen sich nicht speichern und gelten nur, bis Dayhand beendet wird: {why}. Prüfe, ob du in {folder} schreiben darfst.</translation>
    </message>
    <message>
        <source>{number} workflows imported, paused. Check each one, then resume it.</source>
        <translation>{number} Abläufe importiert, pausiert. Sieh jeden an und setze ihn fort.</translation>
    </message>
    <message>
        <source>Questions</source>
        <translation>Fragen</translation>
    </message>
    <message>
        <source>Problems</source>
        <translation>Probleme</translation>
    </message>
    <message>
        <source>Messages of scripts</source>
        <translation>Nachrichten von Skripten</translation>
    </message>
    <message>
        <source>When I am away</source>
        <translation>Wenn ich nicht da bin</translation>
    </message>
    <message>
        <source>Always, at once</source>
        <translation>Immer sofort</translation>
    </message>
    <message>
        <source>Never</source>
        <translation>Nie</translation>
    </message>
    <message>
        <source>Before what cannot be undone</source>
        <translation>Vor allem, was sich nicht rückgängig machen lässt</translation>
    </message>
    <message>
        <source>Before every approval</source>
        <translation>Vor jeder Zustimmung</translation>
    </message>
    <message>
        <source>Nothing</source>
        <translation>Nichts</translation>
    </message>
    <message>
        <source>at once</source>
        <translation>sofort</translation>
    </message>
    <message>
        <source>when you are away</source>
        <translation>wenn du nicht da bist</translation>
    </message>
    <message>
        <source>Carries news; answer at your computer.</source>
        <translation>Überbringt Neuigkeiten; antworte an deinem Computer.</translation>
    </message>
    <message>
        <source>You can reject from the phone. To approve, set up your authenticator app.</source>
        <translation>Du kannst vom Handy aus ablehnen. Um zuzustimmen, richte deine Authenticator-App ein.</translation>
    </message>
    <message>
        <source>Every morning</source>
        <translation>Jeden Morgen</translation>
    </message>
    <message>
        <source>Every Monday morning</source>
        <translation>Jeden Montagmorgen</translation>
    </message>
</context>
<context>
    <name>start</name>
    <message>
        <source>Dayhand cannot start</source>
        <translation>Dayhand kann nicht starten</translation>
    </message>
    <message>
        <source>Dayhand is running but does not respond. Wait a moment; if that does not help, quit it and start it again.</source>
        <translation>Dayhand läuft, antwortet aber nicht. Warte einen Moment; wenn das nicht hilft, beende es und starte es neu.</translation>
    </message>
</context>
<context>
    <name>strip</name>
    <message>
        <source>Last {number}: {states}</source>
        <translation>Letzte {number}: {states}</translation>
    </message>
    <message>
        <source>No runs yet</source>
        <translation>Noch keine Läufe</translation>
    </message>
</context>
<context>
    <name>summaries</name>
    <message>
        <source>Add 1 row to {name}</source>
        <translation>1 Zeile an {name} anfügen</translation>
    </message>
    <message>
        <source>Add {number} rows to {name}</source>
        <translation>{number} Zeilen an {name} anfügen</translation>
    </message>
    <message>
        <source>Add {title} at {start} to the calendar of {name}</source>
        <translation>{title} am {start} in den Kalender von {name} eintragen</translation>
    </message>
    <message>
        <source>Change the labels of message {message} in {name}</source>
        <translation>Labels der Nachricht {message} in {name} ändern</translation>
    </message>
    <message>
        <source>Delete {path} in {name}</source>
        <translation>{path} in {name} löschen</translation>
    </message>
    <message>
        <source>Mark message {message} in {folder} of {name}</source>
        <translation>Nachricht {message} in {folder} von {name} markieren</translation>
    </message>
    <message>
        <source>Move 1 file in {name}</source>
        <translation>1 Datei in {name} verschieben</translation>
    </message>
    <message>
        <source>Move message {message} from {folder} to {target} in {name}</source>
        <translation>Nachricht {message} in {name} von {folder} nach {target} verschieben</translation>
    </message>
    <message>
        <source>Move {number} files in {name}</source>
        <translation>{number} Dateien in {name} verschieben</translation>
    </message>
    <message>
        <source>Move {source} to {target} in {name}</source>
        <translation>{source} in {name} nach {target} verschieben</translation>
    </message>
    <message>
        <source>Post to {channel} on {name}: {text}</source>
        <translation>In {channel} bei {name} schreiben: {text}</translation>
    </message>
    <message>
        <source>Send mail from {name} to {people}: {subject}</source>
        <translation>Mail von {name} an {people} senden: {subject}</translation>
    </message>
    <message>
        <source>Send {method} {path} to {name}</source>
        <translation>{method} {path} an {name} senden</translation>
    </message>
    <message>
        <source>Show a notification: {title}</source>
        <translation>Eine Benachrichtigung zeigen: {title}</translation>
    </message>
    <message>
        <source>Upload {file} to {name}</source>
        <translation>{file} zu {name} hochladen</translation>
    </message>
    <message>
        <source>Use {tool} on {name}</source>
        <translation>{tool} in {name} benutzen</translation>
    </message>
    <message>
        <source>Write {path} in {name}</source>
        <translation>{path} in {name} schreiben</translation>
    </message>
    <message>
        <source>Write {path} in {name}, replacing the existing file</source>
        <translation>{path} in {name} schreiben und die vorhandene Datei ersetzen</translation>
    </message>
    <message>
        <source>attachments: {number}</source>
        <translation>Anhänge: {number}</translation>
    </message>
    <message>
        <source>text of {number} characters</source>
        <translation>Text mit {number} Zeichen</translation>
    </message>
    <message>
        <source>{people} and {number} more</source>
        <translation>{people} und {number} weitere</translation>
    </message>
</context>
<context>
    <name>templates</name>
    <message>
        <source>Adds a Python file that does nothing yet, and updates the workflow whenever you save it. It starts paused.</source>
        <translation>Legt eine Python-Datei an, die noch nichts tut, und aktualisiert den Ablauf, sobald sie gespeichert wird. Er beginnt pausiert.</translation>
    </message>
    <message>
        <source>Also copy all files to a backup folder</source>
        <translation>Alle Dateien auch in einen Ordner für die Sicherung kopieren</translation>
    </message>
    <message>
        <source>Backup folder</source>
        <translation>Ordner für die Sicherung</translation>
    </message>
    <message>
        <source>Backup time</source>
        <translation>Uhrzeit der Sicherung</translation>
    </message>
    <message>
        <source>Calendar</source>
        <translation>Kalender</translation>
    </message>
    <message>
        <source>Calendar reminder</source>
        <translation>Kalendererinnerung</translation>
    </message>
    <message>
        <source>Certificates and disks</source>
        <translation>Zertifikate und Festplatten</translation>
    </message>
    <message>
        <source>Collects new entries of {FEED} and emails them to {TO} each morning at {AT}.</source>
        <translation>Sammelt neue Einträge aus {FEED} und sendet sie jeden Morgen um {AT} per Mail an {TO}.</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>Befehl</translation>
    </message>
    <message>
        <source>Copies all files in that folder to {BACKUP_FOLDER}, every day at {AT}.</source>
        <translation>Kopiert jeden Tag um {AT} alle Dateien dieses Ordners nach {BACKUP_FOLDER}.</translation>
    </message>
    <message>
        <source>Disks to check: one folder on each, separated by commas</source>
        <translation>Zu prüfende Platten: je ein Ordner darauf, mit Kommas getrennt</translation>
    </message>
    <message>
        <source>Disks: {DISKS}</source>
        <translation>Platten: {DISKS}</translation>
    </message>
    <message>
        <source>Email signature</source>
        <translation>Signatur der Mails</translation>
    </message>
    <message>
        <source>Empty script</source>
        <translation>Leeres Skript</translation>
    </message>
    <message>
        <source>Feed address</source>
        <translation>Adresse des Feeds</translation>
    </message>
    <message>
        <source>Folder to sort</source>
        <translation>Zu sortierender Ordner</translation>
    </message>
    <message>
        <source>Inbox</source>
        <translation>Posteingang</translation>
    </message>
    <message>
        <source>Invoice reminders</source>
        <translation>Zahlungserinnerungen</translation>
    </message>
    <message>
        <source>Looks for new files in {FOLDER} and moves them to a subfolder for their type, such as Pictures.</source>
        <translation>Sucht neue Dateien in {FOLDER} und verschiebt sie in einen Unterordner für ihren Typ, etwa Pictures.</translation>
    </message>
    <message>
        <source>Mailed receipts</source>
        <translation>Belege aus Mails</translation>
    </message>
    <message>
        <source>Minutes before the event</source>
        <translation>Minuten vor dem Termin</translation>
    </message>
    <message>
        <source>Morning digest</source>
        <translation>Morgenüberblick</translation>
    </message>
    <message>
        <source>Needs a calendar</source>
        <translation>Braucht einen Kalender</translation>
    </message>
    <message>
        <source>Needs an email account to read</source>
        <translation>Braucht ein Mailkonto zum Lesen</translation>
    </message>
    <message>
        <source>Needs an email account to send from</source>
        <translation>Braucht ein Mailkonto zum Senden</translation>
    </message>
    <message>
        <source>Notify me only at or below (0 = any change)</source>
        <translation>Nur benachrichtigen bei höchstens (0 = jede Änderung)</translation>
    </message>
    <message>
        <source>On these days</source>
        <translation>An diesen Tagen</translation>
    </message>
    <message>
        <source>Page, such as https://shop.example.org/lamps/7</source>
        <translation>Seite, etwa https://shop.example.org/lamps/7</translation>
    </message>
    <message>
        <source>Reads new emails in {INBOX} with &quot;{SUBJECT}&quot; in the subject and adds date, sender and amount to {TABLE}.</source>
        <translation>Liest neue Mails in {INBOX} mit „{SUBJECT}“ im Betreff und trägt Datum, Absender und Betrag in {TABLE} ein.</translation>
    </message>
    <message>
        <source>Reads {PAGE} and shows a notification when this text changes: {WATCHED}</source>
        <translation>Liest {PAGE} und zeigt eine Benachrichtigung, wenn sich dieser Text ändert: {WATCHED}</translation>
    </message>
    <message>
        <source>Run a command</source>
        <translation>Befehl ausführen</translation>
    </message>
    <message>
        <source>Run it in this folder</source>
        <translation>In diesem Ordner ausführen</translation>
    </message>
    <message>
        <source>Runs {COMMAND} in {FOLDER}. If it fails, you get a notification with the last lines of its output.</source>
        <translation>Führt {COMMAND} in {FOLDER} aus. Schlägt das fehl, erscheint eine Benachrichtigung mit den letzten Zeilen der Ausgabe.</translation>
    </message>
    <message>
        <source>Send from</source>
        <translation>Senden von</translation>
    </message>
    <message>
        <source>Send the email to</source>
        <translation>Mail senden an</translation>
    </message>
    <message>
        <source>Servers, such as example.org or example.org:993 (separated by commas; may be empty)</source>
        <translation>Server, etwa example.org oder example.org:993 (mit Kommas getrennt; darf leer sein)</translation>
    </message>
    <message>
        <source>Servers: {HOSTS}</source>
        <translation>Server: {HOSTS}</translation>
    </message>
    <message>
        <source>Shows a notification before a certificate of your servers expires, and when a disk is {FULL} % full.</source>
        <translation>Zeigt eine Benachrichtigung, bevor das Zertifikat eines Servers abläuft und wenn eine Platte zu {FULL} % voll ist.</translation>
    </message>
    <message>
        <source>Shows a notification {LEAD} minutes before each event in {CALENDAR} that has a start time.</source>
        <translation>Zeigt {LEAD} Minuten vor jedem Termin mit Uhrzeit in {CALENDAR} eine Benachrichtigung.</translation>
    </message>
    <message>
        <source>Sort folder</source>
        <translation>Ordner aufräumen</translation>
    </message>
    <message>
        <source>Table (a .csv or .sqlite file)</source>
        <translation>Tabelle (eine .csv- oder .sqlite-Datei)</translation>
    </message>
    <message>
        <source>Table of invoices (columns: number, customer, mail, amount, due, paid)</source>
        <translation>Tabelle der Rechnungen (Spalten: number, customer, mail, amount, due, paid)</translation>
    </message>
    <message>
        <source>Text or price to watch</source>
        <translation>Zu beobachtender Text oder Preis</translation>
    </message>
    <message>
        <source>The emails are sent from {MAIL} and signed: {SIGNED}</source>
        <translation>Die Mails gehen von {MAIL} aus und sind unterschrieben mit: {SIGNED}</translation>
    </message>
    <message>
        <source>The emails are sent from {MAIL}.</source>
        <translation>Die Mails gehen von {MAIL} aus.</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Uhrzeit</translation>
    </message>
    <message>
        <source>Time zone</source>
        <translation>Zeitzone</translation>
    </message>
    <message>
        <source>Warn when a disk is this full (percent)</source>
        <translation>Warnen, wenn eine Platte so voll ist (Prozent)</translation>
    </message>
    <message>
        <source>Watch page</source>
        <translation>Seite beobachten</translation>
    </message>
    <message>
        <source>Word in the subject line</source>
        <translation>Wort in der Betreffzeile</translation>
    </message>
    <message>
        <source>Writes a reminder to each customer in {TABLE} whose invoice is 7, 21 and 42 days overdue.</source>
        <translation>Schreibt jedem Kunden in {TABLE} eine Zahlungserinnerung, wenn seine Rechnung 7, 21 und 42 Tage überfällig ist.</translation>
    </message>
    <message>
        <source>You approve each email before it is sent.</source>
        <translation>Jede Mail wird erst nach deiner Zustimmung gesendet.</translation>
    </message>
    <message>
        <source>You approve each list of files before they are moved; no file is ever replaced.</source>
        <translation>Dateien werden erst verschoben, wenn du der Liste zustimmst; nie wird eine Datei ersetzt.</translation>
    </message>
    <message>
        <source>You approve the first email; later ones are sent without asking.</source>
        <translation>Die erste Mail braucht deine Zustimmung; spätere werden ohne Rückfrage gesendet.</translation>
    </message>
    <message>
        <source>You approve the rows before they are added.</source>
        <translation>Die Zeilen werden erst nach deiner Zustimmung eingetragen.</translation>
    </message>
    <message>
        <source>You are told only while the price is {BELOW} or less.</source>
        <translation>Du erfährst es nur, solange der Preis höchstens {BELOW} ist.</translation>
    </message>
    <message>
        <source>a notification before a server certificate expires or a disk is full</source>
        <translation>eine Benachrichtigung, bevor ein Zertifikat abläuft oder eine Platte voll ist</translation>
    </message>
    <message>
        <source>a notification before each calendar event</source>
        <translation>eine Benachrichtigung vor jedem Termin im Kalender</translation>
    </message>
    <message>
        <source>a notification when a price or other text on a web page changes</source>
        <translation>eine Benachrichtigung, wenn sich ein Preis oder anderer Text auf einer Webseite ändert</translation>
    </message>
    <message>
        <source>a polite email for each overdue invoice, sent only after you approve it</source>
        <translation>eine freundliche Mail für jede überfällige Rechnung, erst nach deiner Zustimmung</translation>
    </message>
    <message>
        <source>a program or backup, on the days you choose; a missed day is caught up later</source>
        <translation>ein Programm oder eine Sicherung, an den gewählten Tagen; ein verpasster Tag wird nachgeholt</translation>
    </message>
    <message>
        <source>adds receipts from your inbox to a table, after you approve them</source>
        <translation>trägt Belege aus dem Posteingang in eine Tabelle ein, nach deiner Zustimmung</translation>
    </message>
    <message>
        <source>for programmers: a Python file, opened in your editor</source>
        <translation>für alle, die programmieren: eine Python-Datei, im Editor geöffnet</translation>
    </message>
    <message>
        <source>new entries of a feed, in one email every morning</source>
        <translation>Neues aus einem Feed, jeden Morgen in einer Mail</translation>
    </message>
    <message>
        <source>sorts new files in a folder by type, after you approve the list</source>
        <translation>sortiert neue Dateien in einem Ordner nach Typ, sobald du der Liste zustimmst</translation>
    </message>
</context>
<context>
    <name>timeline</name>
    <message>
        <source>Timeline: move between runs</source>
        <translation>Zeitleiste: von Lauf zu Lauf</translation>
    </message>
    <message>
        <source>Timeline: move earlier, later</source>
        <translation>Zeitleiste: früher, später</translation>
    </message>
    <message>
        <source>Timeline: open the run</source>
        <translation>Zeitleiste: den Lauf öffnen</translation>
    </message>
    <message>
        <source>Timeline: show the whole day</source>
        <translation>Zeitleiste: ganzen Tag zeigen</translation>
    </message>
    <message>
        <source>Timeline: zoom in, out</source>
        <translation>Zeitleiste: vergrößern, verkleinern</translation>
    </message>
    <message>
        <source>Took {span}</source>
        <translation>Dauerte {span}</translation>
    </message>
    <message>
        <source>{count} runs: {states}</source>
        <translation>{count} Läufe: {states}</translation>
    </message>
</context>
<context>
    <name>times</name>
    <message>
        <source>in {number} min</source>
        <translation>in {number} Min.</translation>
    </message>
    <message>
        <source>in {number} s</source>
        <translation>in {number} s</translation>
    </message>
    <message>
        <source>in {span}</source>
        <translation>in {span}</translation>
    </message>
    <message>
        <source>just now</source>
        <translation>gerade eben</translation>
    </message>
    <message>
        <source>last {weekday}</source>
        <translation>letzten {weekday}</translation>
    </message>
    <message>
        <source>now</source>
        <translation>jetzt</translation>
    </message>
    <message>
        <source>since {time}</source>
        <translation>seit {time}</translation>
    </message>
    <message>
        <source>today</source>
        <translation>heute</translation>
    </message>
    <message>
        <source>tomorrow</source>
        <translation>morgen</translation>
    </message>
    <message>
        <source>under {number} s</source>
        <translation>unter {number} s</translation>
    </message>
    <message>
        <source>yesterday</source>
        <translation>gestern</translation>
    </message>
    <message>
        <source>{day} {month} {year}</source>
        <translation>{day}. {month} {year}</translation>
    </message>
    <message>
        <source>{day} {time}</source>
        <translation>{day} {time}</translation>
    </message>
    <message>
        <source>{number} d</source>
        <translation>{number} Tg.</translation>
    </message>
    <message>
        <source>{number} h</source>
        <translation>{number} Std.</translation>
    </message>
    <message>
        <source>{number} min</source>
        <translation>{number} Min.</translation>
    </message>
    <message>
        <source>{number} min ago</source>
        <translation>vor {number} Min.</translation>
    </message>
    <message>
        <source>{number} s</source>
        <translation>{number} s</translation>
    </message>
    <message>
        <source>{span} ago</source>
        <translation>vor {span}</translation>
    </message>
    <message>
        <source>{start} to {end}</source>
        <translation>{start} bis {end}</translation>
    </message>
    <message>
        <source>{time} in {city} ({here} here)</source>
        <translation>{time} in {city} ({here} hier)</translation>
    </message>
    <message>
        <source>{weekday} {day} {month}</source>
        <translation>{weekday} {day}. {month}</translation>
    </message>
</context>
<context>
    <name>today</name>
    <message>
        <source>Show log</source>
        <translation>Protokoll anzeigen</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Stoppen</translation>
    </message>
    <message>
        <source>repeats</source>
        <translation>usw.</translation>
    </message>
    <message>
        <source>{sentence} ({number} times)</source>
        <translation>{sentence} ({number}-mal)</translation>
    </message>
</context>
<context>
    <name>tray</name>
    <message>
        <source>1 hour</source>
        <translation>1 Stunde</translation>
    </message>
    <message>
        <source>30 minutes</source>
        <translation>30 Minuten</translation>
    </message>
    <message>
        <source>Dayhand is starting</source>
        <translation>Dayhand startet</translation>
    </message>
    <message>
        <source>Open Dayhand</source>
        <translation>Dayhand öffnen</translation>
    </message>
    <message>
        <source>Pause everything for</source>
        <translation>Alles pausieren für</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Beenden</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Run now</source>
        <translation>Jetzt starten</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Until I resume</source>
        <translation>Bis ich fortsetze</translation>
    </message>
    <message>
        <source>Until tomorrow</source>
        <translation>Bis morgen</translation>
    </message>
    <message>
        <source>{name} needs your attention</source>
        <translation>{name} braucht dich</translation>
    </message>
    <message>
        <source>{number} more…</source>
        <translation>{number} weitere …</translation>
    </message>
</context>
<context>
    <name>trial</name>
    <message>
        <source>It would ask you</source>
        <translation>Er würde dich fragen</translation>
    </message>
    <message>
        <source>It would do this</source>
        <translation>Er würde das tun</translation>
    </message>
    <message>
        <source>It would run these commands</source>
        <translation>Er würde diese Befehle ausführen</translation>
    </message>
    <message>
        <source>Nothing to report, {number} times until {time}.</source>
        <translation>Nichts zu berichten, {number}-mal bis {time}.</translation>
    </message>
    <message>
        <source>Nothing to report.</source>
        <translation>Nichts zu berichten.</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>Ausgabe</translation>
    </message>
    <message>
        <source>The same {number} more times until {time}.</source>
        <translation>Dasselbe noch {number}-mal bis {time}.</translation>
    </message>
    <message>
        <source>{question} (assumed: {answer})</source>
        <translation>{question} (angenommen: {answer})</translation>
    </message>
    <message>
        <source>{tool} on {connection}</source>
        <translation>{tool} mit {connection}</translation>
    </message>
</context>
<context>
    <name>waiting</name>
    <message>
        <source>Skip</source>
        <translation>Überspringen</translation>
    </message>
</context>
<context>
    <name>welcome</name>
    <message>
        <source>The sample needs {name}, which you already use. Add your own workflow instead.</source>
        <translation>Das Beispiel braucht {name}, das du schon nutzt. Füge stattdessen einen eigenen Ablauf hinzu.</translation>
    </message>
    <message>
        <source>The sample&apos;s files could not be written to {folder}: {why}.</source>
        <translation>Die Dateien des Beispiels ließen sich nicht nach {folder} schreiben: {why}.</translation>
    </message>
</context>
<context>
    <name>words</name>
    <message>
        <source>All is well</source>
        <translation>Alles gut</translation>
    </message>
    <message>
        <source>Archived</source>
        <translation>Archiviert</translation>
    </message>
    <message>
        <source>Cancelled</source>
        <translation>Abgebrochen</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>Erledigt</translation>
    </message>
    <message>
        <source>Dropped</source>
        <translation>Verworfen</translation>
    </message>
    <message>
        <source>Expired</source>
        <translation>Abgelaufen</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Fehlgeschlagen</translation>
    </message>
    <message>
        <source>Finished</source>
        <translation>Fertig</translation>
    </message>
    <message>
        <source>Fixing</source>
        <translation>Wird repariert</translation>
    </message>
    <message>
        <source>Idle</source>
        <translation>Bereit</translation>
    </message>
    <message>
        <source>Missed</source>
        <translation>Verpasst</translation>
    </message>
    <message>
        <source>Needs attention</source>
        <translation>Braucht dich</translation>
    </message>
    <message>
        <source>Needs your attention</source>
        <translation>Zu klären</translation>
    </message>
    <message>
        <source>Offline</source>
        <translation>Offline</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>Pausiert</translation>
    </message>
    <message>
        <source>Queued</source>
        <translation>Eingereiht</translation>
    </message>
    <message>
        <source>Rejected</source>
        <translation>Abgelehnt</translation>
    </message>
    <message>
        <source>Replaced</source>
        <translation>Ersetzt</translation>
    </message>
    <message>
        <source>Retrying</source>
        <translation>Neuer Versuch</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>Läuft</translation>
    </message>
    <message>
        <source>Skipped</source>
        <translation>Übersprungen</translation>
    </message>
    <message>
        <source>Something went wrong</source>
        <translation>Etwas ging schief</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>Gestoppt</translation>
    </message>
    <message>
        <source>Upcoming</source>
        <translation>Geplant</translation>
    </message>
    <message>
        <source>Waiting for you</source>
        <translation>Wartet auf dich</translation>
    </message>
</context>
<context>
    <name>workflows</name>
    <message>
        <source>Due now</source>
        <translation>Jetzt fällig</translation>
    </message>
    <message>
        <source>Next {until}</source>
        <translation>Nächster Lauf {until}</translation>
    </message>
</context>
</TS>
