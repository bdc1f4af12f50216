<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
<context>
    <name>AttentionPage</name>
    <message>
        <source>Attention</source>
        <translation>Zu klären</translation>
    </message>
    <message>
        <source>Nothing needs you</source>
        <translation>Alles geklärt</translation>
    </message>
    <message>
        <source>When a workflow wants your approval, lost an account or cannot go on, you find it here.</source>
        <translation>Wenn ein Ablauf deine Zustimmung möchte, ein Konto verloren hat oder nicht weiterkommt, steht es hier.</translation>
    </message>
    <message>
        <source>1 thing waits for you.</source>
        <translation>1 Sache wartet auf dich.</translation>
    </message>
    <message>
        <source>{number} things wait for you.</source>
        <translation>{number} Sachen warten auf dich.</translation>
    </message>
    <message>
        <source>Nothing waits for you any more.</source>
        <translation>Nichts wartet mehr auf dich.</translation>
    </message>
</context>
<context>
    <name>Card</name>
    <message>
        <source>Show the exact call</source>
        <translation>Genauen Aufruf zeigen</translation>
    </message>
    <message>
        <source>The exact call</source>
        <translation>Der genaue Aufruf</translation>
    </message>
    <message>
        <source>The script says (not checked by Dayhand)</source>
        <translation>Das sagt das Skript (von Dayhand nicht geprüft)</translation>
    </message>
</context>
<context>
    <name>Cards</name>
    <message>
        <source>It was settled meanwhile.</source>
        <translation>Das hat sich inzwischen erledigt.</translation>
    </message>
</context>
<context>
    <name>Changes</name>
    <message>
        <source>What changes</source>
        <translation>Was sich ändert</translation>
    </message>
</context>
<context>
    <name>ConnectDialog</name>
    <message>
        <source>Connect</source>
        <translation>Verbinden</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>for example expenses</source>
        <translation>zum Beispiel ausgaben</translation>
    </message>
    <message>
        <source>Test</source>
        <translation>Prüfen</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>&amp;Kind</source>
        <translation>&amp;Art</translation>
    </message>
    <message>
        <source>&amp;Name</source>
        <translation>&amp;Name</translation>
    </message>
    <message>
        <source>Connect {name}</source>
        <translation>{name} verbinden</translation>
    </message>
    <message>
        <source>New connection</source>
        <translation>Neue Verbindung</translation>
    </message>
    <message>
        <source>Give it a name; scripts find it by that.</source>
        <translation>Gib ihr einen Namen; Skripte finden sie damit.</translation>
    </message>
    <message>
        <source>Write the name with letters, digits, dashes and underscores only.</source>
        <translation>Schreibe den Namen nur mit Buchstaben, Ziffern, Binde- und Unterstrichen.</translation>
    </message>
    <message>
        <source>Testing…</source>
        <translation>Wird geprüft …</translation>
    </message>
    <message>
        <source>Connecting…</source>
        <translation>Wird verbunden …</translation>
    </message>
    <message>
        <source>Sign in in the browser that opens now…</source>
        <translation>Melde dich in dem Browser an, der sich jetzt öffnet …</translation>
    </message>
</context>
<context>
    <name>ConnectFields</name>
    <message>
        <source>{label} (optional)</source>
        <translation>{label} (optional)</translation>
    </message>
    <message>
        <source>{label} is missing.</source>
        <translation>{label} fehlt.</translation>
    </message>
    <message>
        <source>Leave it empty to keep the one from before</source>
        <translation>Leer lassen, um das bisherige zu behalten</translation>
    </message>
    <message>
        <source>Choose {label}</source>
        <translation>{label} auswählen</translation>
    </message>
</context>
<context>
    <name>ConnectionsPage</name>
    <message>
        <source>Connections</source>
        <translation>Verbindungen</translation>
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
        <source>A connection is an account or a place on this computer that workflows may use, such as a folder or a table. Passwords stay in the keyring of your system.</source>
        <translation>Eine Verbindung ist ein Konto oder ein Ort auf diesem Computer, den Abläufe nutzen dürfen, etwa ein Ordner oder eine Tabelle. Passwörter bleiben im Schlüsselbund deines Systems.</translation>
    </message>
    <message>
        <source>Test</source>
        <translation>Prüfen</translation>
    </message>
    <message>
        <source>Connect…</source>
        <translation>Verbinden …</translation>
    </message>
    <message>
        <source>Disconnect…</source>
        <translation>Trennen …</translation>
    </message>
    <message>
        <source>Connected since</source>
        <translation>Verbunden seit</translation>
    </message>
    <message>
        <source>Last used</source>
        <translation>Zuletzt genutzt</translation>
    </message>
    <message>
        <source>never</source>
        <translation>nie</translation>
    </message>
    <message>
        <source>Used by</source>
        <translation>Genutzt von</translation>
    </message>
    <message>
        <source>In scripts</source>
        <translation>In Skripten</translation>
    </message>
    <message>
        <source>Reconnect…</source>
        <translation>Neu verbinden …</translation>
    </message>
    <message>
        <source>Change…</source>
        <translation>Ändern …</translation>
    </message>
    <message>
        <source>Nobody</source>
        <translation>Niemandem</translation>
    </message>
    <message>
        <source>and {number} more</source>
        <translation>und {number} weitere</translation>
    </message>
    <message>
        <source>Workflows want to use it, and nobody has connected it yet.</source>
        <translation>Abläufe möchten sie nutzen, aber sie ist noch nicht verbunden.</translation>
    </message>
    <message>
        <source>Testing {name}…</source>
        <translation>{name} wird geprüft …</translation>
    </message>
    <message>
        <source>What it points to stays as it is.</source>
        <translation>Worauf sie zeigt, bleibt, wie es ist.</translation>
    </message>
    <message>
        <source>It is used by {names}.</source>
        <translation>Genutzt wird sie von {names}.</translation>
    </message>
    <message>
        <source>Disconnect {name}?</source>
        <translation>{name} trennen?</translation>
    </message>
    <message>
        <source>Disconnect</source>
        <translation>Trennen</translation>
    </message>
</context>
<context>
    <name>CrashDialog</name>
    <message>
        <source>Dayhand made a mistake</source>
        <translation>Dayhand hat einen Fehler gemacht</translation>
    </message>
    <message>
        <source>Something in this window did not work; your workflows go on. If it comes again, please report it with these details.</source>
        <translation>Etwas in diesem Fenster hat nicht geklappt; deine Abläufe gehen weiter. Wenn es wieder vorkommt, melde es bitte mit diesen Einzelheiten.</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>Details</translation>
    </message>
    <message>
        <source>&amp;Copy the details</source>
        <translation>Details &amp;kopieren</translation>
    </message>
    <message>
        <source>&amp;Open the log</source>
        <translation>Protokoll ö&amp;ffnen</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>It happened once more since; the log has it.</source>
        <translation>Seitdem kam es noch einmal vor; das steht im Protokoll.</translation>
    </message>
    <message>
        <source>It happened {number} more times since; the log has them.</source>
        <translation>Seitdem kam es noch {number}-mal vor; das steht im Protokoll.</translation>
    </message>
</context>
<context>
    <name>DataSection</name>
    <message>
        <source>Open the folder</source>
        <translation>Ordner öffnen</translation>
    </message>
    <message>
        <source>Back up now</source>
        <translation>Jetzt sichern</translation>
    </message>
    <message>
        <source>&amp;Export everything…</source>
        <translation>Alles &amp;exportieren …</translation>
    </message>
    <message>
        <source>&amp;Import…</source>
        <translation>&amp;Importieren …</translation>
    </message>
    <message>
        <source>Write dia&amp;gnostics…</source>
        <translation>Dia&amp;gnose schreiben …</translation>
    </message>
    <message>
        <source>Workflows, history and settings in one file, without passwords.</source>
        <translation>Abläufe, Verlauf und Einstellungen in einer Datei, ohne Passwörter.</translation>
    </message>
    <message>
        <source>Helps to find out what is wrong; without scripts, data and passwords.</source>
        <translation>Hilft, Fehler zu finden; ohne Skripte, Daten und Passwörter.</translation>
    </message>
    <message>
        <source>Exported to {path}. Passwords are not in it.</source>
        <translation>Exportiert nach {path}. Passwörter sind nicht dabei.</translation>
    </message>
    <message>
        <source>Exporting…</source>
        <translation>Wird exportiert …</translation>
    </message>
    <message>
        <source>Written to {path}. Look through it before you send it to anybody.</source>
        <translation>Geschrieben nach {path}. Sieh es durch, bevor du es weitergibst.</translation>
    </message>
    <message>
        <source>Writing…</source>
        <translation>Wird geschrieben …</translation>
    </message>
    <message>
        <source>Looking at {file}…</source>
        <translation>{file} wird angesehen …</translation>
    </message>
    <message>
        <source>Import</source>
        <translation>Importieren</translation>
    </message>
    <message>
        <source>Go on from {file}?</source>
        <translation>Mit {file} weitermachen?</translation>
    </message>
    <message>
        <source>Everything in it arrives paused. Dayhand starts again for it.</source>
        <translation>Alles darin kommt pausiert an. Dayhand startet dafür neu.</translation>
    </message>
    <message>
        <source>What you have here now is set aside in your data folder.</source>
        <translation>Was jetzt hier ist, wird in deinem Datenordner beiseitegelegt.</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Backing up…</source>
        <translation>Wird gesichert …</translation>
    </message>
    <message>
        <source>Backed up to {path}.</source>
        <translation>Gesichert nach {path}.</translation>
    </message>
    <message>
        <source>Exports of Dayhand (*.zip)</source>
        <translation>Exporte von Dayhand (*.zip)</translation>
    </message>
    <message>
        <source>Save as</source>
        <translation>Speichern unter</translation>
    </message>
    <message>
        <source>Zip files (*.zip)</source>
        <translation>Zip-Dateien (*.zip)</translation>
    </message>
</context>
<context>
    <name>DeployDialog</name>
    <message>
        <source>Deploy a script</source>
        <translation>Skript einrichten</translation>
    </message>
    <message>
        <source>What it may use</source>
        <translation>Was er nutzen darf</translation>
    </message>
    <message>
        <source>Start it &amp;paused</source>
        <translation>&amp;Pausiert beginnen</translation>
    </message>
    <message>
        <source>Deploy again whenever the &amp;file is saved</source>
        <translation>Neu einrichten, sobald die &amp;Datei gespeichert wird</translation>
    </message>
    <message>
        <source>The script is being checked</source>
        <translation>Das Skript wird geprüft</translation>
    </message>
    <message>
        <source>Check again</source>
        <translation>Noch einmal prüfen</translation>
    </message>
    <message>
        <source>Try it…</source>
        <translation>Ausprobieren …</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Deploy</source>
        <translation>Einrichten</translation>
    </message>
    <message>
        <source>Checking {file}…</source>
        <translation>{file} wird geprüft …</translation>
    </message>
    <message>
        <source>Deploy the new version</source>
        <translation>Neue Version einrichten</translation>
    </message>
    <message>
        <source>Runs when something arrives.</source>
        <translation>Läuft, wenn etwas eintrifft.</translation>
    </message>
    <message>
        <source>Tick what it may do; it asks for the rest when it comes to that</source>
        <translation>Hake an, was es darf; nach dem Rest fragt es, wenn es so weit ist</translation>
    </message>
    <message>
        <source>It uses no connection.</source>
        <translation>Er nutzt keine Verbindung.</translation>
    </message>
    <message>
        <source>Not connected yet: {names}. Connect it on the Connections page, before or after.</source>
        <translation>Noch nicht verbunden: {names}. Das geht auf der Seite „Verbindungen“, vorher oder nachher.</translation>
    </message>
    <message>
        <source>{file} is not a text file.</source>
        <translation>{file} ist keine Textdatei.</translation>
    </message>
    <message>
        <source>{file} cannot be read: {why}.</source>
        <translation>{file} lässt sich nicht lesen: {why}.</translation>
    </message>
    <message>
        <source>Replace it</source>
        <translation>Ersetzen</translation>
    </message>
    <message>
        <source>Another file is deployed under this name. Replace it, or give this one a name of its own.</source>
        <translation>Unter diesem Namen ist eine andere Datei eingerichtet. Ersetze sie, oder gib dieser einen eigenen Namen.</translation>
    </message>
    <message>
        <source>Deploying…</source>
        <translation>Wird eingerichtet …</translation>
    </message>
    <message>
        <source>{name} is deployed (version {version}).</source>
        <translation>{name} ist eingerichtet (Version {version}).</translation>
    </message>
</context>
<context>
    <name>DiffView</name>
    <message>
        <source>Before</source>
        <translation>Vorher</translation>
    </message>
    <message>
        <source>After</source>
        <translation>Nachher</translation>
    </message>
    <message>
        <source>Before and after</source>
        <translation>Vorher und nachher</translation>
    </message>
    <message>
        <source>Previous change</source>
        <translation>Vorige Änderung</translation>
    </message>
    <message>
        <source>Next change</source>
        <translation>Nächste Änderung</translation>
    </message>
    <message>
        <source>Side by side</source>
        <translation>Nebeneinander</translation>
    </message>
    <message>
        <source>1 line</source>
        <translation>1 Zeile</translation>
    </message>
    <message>
        <source>{number} lines</source>
        <translation>{number} Zeilen</translation>
    </message>
    <message>
        <source>{added} lines added, {removed} removed</source>
        <translation>{added} neu, {removed} entfernt</translation>
    </message>
    <message>
        <source>1 line added, {removed} removed</source>
        <translation>1 neu, {removed} entfernt</translation>
    </message>
    <message>
        <source>No differences</source>
        <translation>Keine Unterschiede</translation>
    </message>
</context>
<context>
    <name>FixerSection</name>
    <message>
        <source>Who repairs scripts that fail</source>
        <translation>Wer Skripte repariert, die scheitern</translation>
    </message>
    <message>
        <source>When a script that failed is sent</source>
        <translation>Wann ein gescheitertes Skript gesendet wird</translation>
    </message>
    <message>
        <source>When a repair is used</source>
        <translation>Wann eine Reparatur verwendet wird</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>Befehl</translation>
    </message>
    <message>
        <source>Address of the server</source>
        <translation>Adresse des Servers</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Key of the server</source>
        <translation>Schlüssel des Servers</translation>
    </message>
    <message>
        <source>Forget the key</source>
        <translation>Schlüssel vergessen</translation>
    </message>
    <message>
        <source>Tokens that one repair may cost</source>
        <translation>Token, die eine Reparatur kosten darf</translation>
    </message>
    <message>
        <source>Seconds that one repair may take</source>
        <translation>Sekunden, die eine Reparatur dauern darf</translation>
    </message>
    <message>
        <source>Scripts that &amp;fail are repaired by</source>
        <translation>Gescheiterte Skripte re&amp;pariert</translation>
    </message>
    <message>
        <source>&amp;Command</source>
        <translation>Befe&amp;hl</translation>
    </message>
    <message>
        <source>Add&amp;ress of the server</source>
        <translation>A&amp;dresse des Servers</translation>
    </message>
    <message>
        <source>&amp;Model</source>
        <translation>M&amp;odell</translation>
    </message>
    <message>
        <source>Ke&amp;y, if it needs one</source>
        <translation>Schl&amp;üssel, falls nötig</translation>
    </message>
    <message>
        <source>&amp;Tokens for one repair, at most</source>
        <translation>&amp;Token je Reparatur, höchstens</translation>
    </message>
    <message>
        <source>Seconds for one repair, at most</source>
        <translation>Sekunden je Reparatur, höchstens</translation>
    </message>
    <message>
        <source>A script that failed is sent</source>
        <translation>Ein gescheitertes Skript geht hinaus</translation>
    </message>
    <message>
        <source>A re&amp;pair is used</source>
        <translation>Eine Reparatur wird ver&amp;wendet</translation>
    </message>
    <message>
        <source>A script that fails is sent there with its error, the end of its log and what it worked on, without passwords and without the words of mails. Attention shows what is sent. A repair may not change what a workflow is allowed to do, or when it asks you.</source>
        <translation>Ein Skript, das scheitert, wird dorthin gesendet, mit seinem Fehler, dem Ende seines Protokolls und dem, woran es gearbeitet hat, ohne Passwörter und ohne den Wortlaut von Mails. Unter „Zu klären“ siehst du, was gesendet wird. Eine Reparatur darf nicht ändern, was ein Ablauf darf oder wann er dich fragt.</translation>
    </message>
    <message>
        <source>Kept in the keyring</source>
        <translation>Liegt im Schlüsselbund</translation>
    </message>
    <message>
        <source>Nobody repairs scripts until the fields above are filled in.</source>
        <translation>Niemand repariert Skripte, bis die Felder oben ausgefüllt sind.</translation>
    </message>
</context>
<context>
    <name>HelpDialog</name>
    <message>
        <source>Help</source>
        <translation>Hilfe</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>Tasten</translation>
    </message>
    <message>
        <source>Everywhere</source>
        <translation>Überall</translation>
    </message>
    <message>
        <source>Tab goes from one thing to the next, the space bar presses it, and Alt with an underlined letter.</source>
        <translation>Tab geht von einem zum nächsten, die Leertaste drückt es, auch Alt mit einem unterstrichenen Buchstaben.</translation>
    </message>
    <message>
        <source>This is Dayhand {version}.</source>
        <translation>Das ist Dayhand {version}.</translation>
    </message>
    <message>
        <source>Open the guide for scripts</source>
        <translation>Anleitung für Skripte öffnen</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
</context>
<context>
    <name>HistoryExport</name>
    <message>
        <source>Rows that were written</source>
        <translation>Geschriebene Zeilen</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>{file} was not written.</source>
        <translation>{file} wurde nicht geschrieben.</translation>
    </message>
    <message>
        <source>{number} rows were written to {file}.</source>
        <translation>{number} Zeilen wurden nach {file} geschrieben.</translation>
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
    <name>HistoryFilters</name>
    <message>
        <source>Search history</source>
        <translation>Verlauf durchsuchen</translation>
    </message>
    <message>
        <source>From</source>
        <translation>Von</translation>
    </message>
    <message>
        <source>Up to</source>
        <translation>Bis</translation>
    </message>
    <message>
        <source>Workflow</source>
        <translation>Ablauf</translation>
    </message>
    <message>
        <source>All workflows</source>
        <translation>Alle Abläufe</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>Ergebnis</translation>
    </message>
    <message>
        <source>All results</source>
        <translation>Alle Ergebnisse</translation>
    </message>
    <message>
        <source>Why it ran</source>
        <translation>Warum es lief</translation>
    </message>
    <message>
        <source>Any reason</source>
        <translation>Jeder Grund</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>Any time</source>
        <translation>Jederzeit</translation>
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
        <source>Choose days</source>
        <translation>Tage wählen</translation>
    </message>
</context>
<context>
    <name>HistoryPage</name>
    <message>
        <source>History</source>
        <translation>Verlauf</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>Exportieren …</translation>
    </message>
    <message>
        <source>Nothing has run yet</source>
        <translation>Noch ist nichts gelaufen</translation>
    </message>
    <message>
        <source>Every run is listed here, and every time that did not run with its reason.</source>
        <translation>Hier steht jeder Lauf, und jeder ausgefallene Termin mit seinem Grund.</translation>
    </message>
    <message>
        <source>Go to Workflows</source>
        <translation>Zu den Abläufen</translation>
    </message>
    <message>
        <source>Nothing like that has happened</source>
        <translation>So etwas kam nicht vor</translation>
    </message>
    <message>
        <source>Look for other words, or for all workflows, results and times.</source>
        <translation>Suche andere Wörter, oder in allen Abläufen, Ergebnissen und Zeiten.</translation>
    </message>
    <message>
        <source>Show all</source>
        <translation>Alle zeigen</translation>
    </message>
    <message>
        <source>The newest {number}; more as you scroll</source>
        <translation>Die neuesten {number}; weitere beim Blättern</translation>
    </message>
    <message>
        <source>{number} in all</source>
        <translation>Insgesamt {number}</translation>
    </message>
    <message>
        <source>The newest {number} of {total}; more as you scroll</source>
        <translation>Die neuesten {number} von {total}; weitere beim Blättern</translation>
    </message>
    <message>
        <source>Table (*.csv);;Data (*.json)</source>
        <translation>Tabelle (*.csv);;Daten (*.json)</translation>
    </message>
    <message>
        <source>Export what is shown</source>
        <translation>Gezeigtes exportieren</translation>
    </message>
</context>
<context>
    <name>HistoryTable</name>
    <message>
        <source>What ran and what did not</source>
        <translation>Was lief und was nicht</translation>
    </message>
</context>
<context>
    <name>Leaving</name>
    <message>
        <source>Quit Dayhand</source>
        <translation>Dayhand beenden</translation>
    </message>
    <message>
        <source>{names} is doing something outside right now.</source>
        <translation>{names} erledigt gerade etwas außerhalb.</translation>
    </message>
    <message>
        <source>{names} are doing something outside right now.</source>
        <translation>{names} erledigen gerade etwas außerhalb.</translation>
    </message>
    <message>
        <source>Dayhand can wait up to 30 seconds for it to finish. If you quit at once, it finds out at the next start whether it happened.</source>
        <translation>Dayhand kann bis zu 30 Sekunden darauf warten. Wenn du sofort beendest, findet es beim nächsten Start heraus, ob es geschehen ist.</translation>
    </message>
    <message>
        <source>Wait, then quit</source>
        <translation>Warten, dann beenden</translation>
    </message>
    <message>
        <source>Quit at once</source>
        <translation>Sofort beenden</translation>
    </message>
    <message>
        <source>Don&apos;t quit</source>
        <translation>Nicht beenden</translation>
    </message>
    <message>
        <source>Waiting for an outside action to finish…</source>
        <translation>Eine Aktion außerhalb wird noch fertig …</translation>
    </message>
</context>
<context>
    <name>LogView</name>
    <message>
        <source>Log</source>
        <translation>Protokoll</translation>
    </message>
    <message>
        <source>Search this log</source>
        <translation>Dieses Protokoll durchsuchen</translation>
    </message>
    <message>
        <source>Not in this log</source>
        <translation>Nicht in diesem Protokoll</translation>
    </message>
    <message>
        <source>{place} of {number}</source>
        <translation>{place} von {number}</translation>
    </message>
</context>
<context>
    <name>NewDialog</name>
    <message>
        <source>New workflow</source>
        <translation>Neuer Ablauf</translation>
    </message>
    <message>
        <source>Templates</source>
        <translation>Vorlagen</translation>
    </message>
    <message>
        <source>&amp;Open the script in my editor</source>
        <translation>Skript in meinem Editor ö&amp;ffnen</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Go on…</source>
        <translation>Weiter …</translation>
    </message>
    <message>
        <source>What is the workflow to be called?</source>
        <translation>Wie soll der Ablauf heißen?</translation>
    </message>
    <message>
        <source>In which file is the script to be?</source>
        <translation>In welcher Datei soll das Skript stehen?</translation>
    </message>
    <message>
        <source>Choose: {question}</source>
        <translation>Auswählen: {question}</translation>
    </message>
    <message>
        <source>Writing {file}…</source>
        <translation>{file} wird geschrieben …</translation>
    </message>
</context>
<context>
    <name>OverviewTab</name>
    <message>
        <source>Details</source>
        <translation>Details</translation>
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
        <source>What it did</source>
        <translation>Was er getan hat</translation>
    </message>
    <message>
        <source>It has not run yet.</source>
        <translation>Er ist noch nicht gelaufen.</translation>
    </message>
    <message>
        <source>1 thing waits to be dealt with.</source>
        <translation>1 Sache wartet auf Bearbeitung.</translation>
    </message>
    <message>
        <source>{number} things wait.</source>
        <translation>{number} Sachen warten.</translation>
    </message>
    <message>
        <source>{number} expected</source>
        <translation>{number} erwartet</translation>
    </message>
    <message>
        <source>{number} done</source>
        <translation>{number} erledigt</translation>
    </message>
    <message>
        <source>{number} failed</source>
        <translation>{number} fehlgeschlagen</translation>
    </message>
    <message>
        <source>{number} stopped</source>
        <translation>{number} gestoppt</translation>
    </message>
    <message>
        <source>{number} missed</source>
        <translation>{number} verpasst</translation>
    </message>
    <message>
        <source>{number} skipped</source>
        <translation>{number} übersprungen</translation>
    </message>
    <message>
        <source>{number} replaced</source>
        <translation>{number} ersetzt</translation>
    </message>
    <message>
        <source>{number} dropped</source>
        <translation>{number} verworfen</translation>
    </message>
    <message>
        <source>1 run in all</source>
        <translation>insgesamt 1 Lauf</translation>
    </message>
    <message>
        <source>{number} runs in all</source>
        <translation>insgesamt {number} Läufe</translation>
    </message>
    <message>
        <source>Nothing was due in the last 7 days.</source>
        <translation>In den letzten 7 Tagen stand nichts an.</translation>
    </message>
    <message>
        <source>Last 7 days: {counted}</source>
        <translation>Letzte 7 Tage: {counted}</translation>
    </message>
</context>
<context>
    <name>PagedText</name>
    <message>
        <source>Previous page</source>
        <translation>Vorige Seite</translation>
    </message>
    <message>
        <source>Next page</source>
        <translation>Nächste Seite</translation>
    </message>
    <message>
        <source>{number} characters</source>
        <translation>{number} Zeichen</translation>
    </message>
    <message>
        <source>page {page} of {pages}</source>
        <translation>Seite {page} von {pages}</translation>
    </message>
</context>
<context>
    <name>PastDialog</name>
    <message>
        <source>Run past times</source>
        <translation>Vergangene Termine nachholen</translation>
    </message>
    <message>
        <source>From</source>
        <translation>Von</translation>
    </message>
    <message>
        <source>Until</source>
        <translation>Bis</translation>
    </message>
    <message>
        <source>Leave out those that &amp;ran already</source>
        <translation>Schon &amp;gelaufene auslassen</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Run them</source>
        <translation>Nachholen</translation>
    </message>
    <message>
        <source>&amp;From</source>
        <translation>&amp;Von</translation>
    </message>
    <message>
        <source>&amp;Until</source>
        <translation>&amp;Bis</translation>
    </message>
    <message>
        <source>There are no times in this range.</source>
        <translation>In diesem Zeitraum liegen keine Termine.</translation>
    </message>
    <message>
        <source>All times in this range have run.</source>
        <translation>Alle Termine in diesem Zeitraum sind gelaufen.</translation>
    </message>
    <message>
        <source>{number} times lie in this range; {missing} of them did not run.</source>
        <translation>{number} Termine liegen in diesem Zeitraum; {missing} davon sind nicht gelaufen.</translation>
    </message>
    <message>
        <source>1 time lies in this range.</source>
        <translation>In diesem Zeitraum liegt 1 Termin.</translation>
    </message>
    <message>
        <source>{number} times lie in this range.</source>
        <translation>In diesem Zeitraum liegen {number} Termine.</translation>
    </message>
    <message>
        <source>1 past time is being run.</source>
        <translation>1 vergangener Termin wird nachgeholt.</translation>
    </message>
    <message>
        <source>{number} times or more lie in this range; choose a shorter one.</source>
        <translation>In diesem Zeitraum liegen {number} Termine oder mehr; wähle einen kürzeren.</translation>
    </message>
    <message>
        <source>{number} past times are being run.</source>
        <translation>{number} vergangene Termine werden nachgeholt.</translation>
    </message>
</context>
<context>
    <name>PermissionsTab</name>
    <message>
        <source>Connect…</source>
        <translation>Verbinden …</translation>
    </message>
    <message>
        <source>What it may use</source>
        <translation>Was er nutzen darf</translation>
    </message>
    <message>
        <source>Allow</source>
        <translation>Erlauben</translation>
    </message>
    <message>
        <source>Take back</source>
        <translation>Zurücknehmen</translation>
    </message>
    <message>
        <source>Not connected yet: {names}.</source>
        <translation>Noch nicht verbunden: {names}.</translation>
    </message>
    <message>
        <source>It uses no connection.</source>
        <translation>Er nutzt keine Verbindung.</translation>
    </message>
    <message>
        <source>What the script uses. What you have not allowed is asked for when it comes to that.</source>
        <translation>Was das Skript nutzt. Was noch nicht erlaubt ist, wird gefragt, wenn es so weit ist.</translation>
    </message>
    <message>
        <source>You said “always” to: {names}. Taking the permission back makes it ask again.</source>
        <translation>„Immer“ gilt für: {names}. Nimmst du die Erlaubnis zurück, wird wieder gefragt.</translation>
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
    <name>RunPane</name>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>{file}, line {line}</source>
        <translation>{file}, Zeile {line}</translation>
    </message>
    <message>
        <source>took {span}</source>
        <translation>dauerte {span}</translation>
    </message>
    <message>
        <source>Open workflow</source>
        <translation>Ablauf öffnen</translation>
    </message>
    <message>
        <source>It happened</source>
        <translation>Ist geschehen</translation>
    </message>
    <message>
        <source>It didn&apos;t</source>
        <translation>Ist nicht geschehen</translation>
    </message>
    <message>
        <source>Skip</source>
        <translation>Überspringen</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>Antworten</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Stoppen</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Noch einmal versuchen</translation>
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
        <source>What was tried</source>
        <translation>Was versucht wurde</translation>
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
        <source>What was asked</source>
        <translation>Was gefragt wurde</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>Details</translation>
    </message>
    <message>
        <source>Attempts, steps with their times, data</source>
        <translation>Versuche, Schritte mit ihren Zeiten, Daten</translation>
    </message>
</context>
<context>
    <name>ScheduleBlock</name>
    <message>
        <source>Run now</source>
        <translation>Jetzt starten</translation>
    </message>
    <message>
        <source>Change times…</source>
        <translation>Termine ändern …</translation>
    </message>
    <message>
        <source>Skip next</source>
        <translation>Nächsten überspringen</translation>
    </message>
    <message>
        <source>Run past times…</source>
        <translation>Termine nachholen …</translation>
    </message>
    <message>
        <source>Past times that were run</source>
        <translation>Nachgeholte Termine</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>{action}: {words}</source>
        <translation>{action}: {words}</translation>
    </message>
    <message>
        <source>Past times: {made} of {total}</source>
        <translation>Nachgeholt: {made} von {total}</translation>
    </message>
</context>
<context>
    <name>ScheduleEditor</name>
    <message>
        <source>&amp;Runs</source>
        <translation>&amp;Läuft</translation>
    </message>
    <message>
        <source>Time &amp;zone</source>
        <translation>Zeit&amp;zone</translation>
    </message>
    <message>
        <source>Where this computer is ({zone})</source>
        <translation>Wo dieser Computer ist ({zone})</translation>
    </message>
    <message>
        <source>No more times after that.</source>
        <translation>Danach keine Termine mehr.</translation>
    </message>
    <message>
        <source>No more times.</source>
        <translation>Keine Termine mehr.</translation>
    </message>
    <message>
        <source>Time zone</source>
        <translation>Zeitzone</translation>
    </message>
</context>
<context>
    <name>SchedulePicker</name>
    <message>
        <source>How often</source>
        <translation>Wie oft</translation>
    </message>
    <message>
        <source>Every so often</source>
        <translation>Regelmäßig alle</translation>
    </message>
    <message>
        <source>Daily</source>
        <translation>Täglich</translation>
    </message>
    <message>
        <source>Weekly</source>
        <translation>Wöchentlich</translation>
    </message>
    <message>
        <source>Monthly</source>
        <translation>Monatlich</translation>
    </message>
    <message>
        <source>Cron text</source>
        <translation>Cron-Text</translation>
    </message>
    <message>
        <source>at</source>
        <translation>um</translation>
    </message>
    <message>
        <source>Time of day</source>
        <translation>Uhrzeit</translation>
    </message>
    <message>
        <source>As it is</source>
        <translation>Wie es ist</translation>
    </message>
    <message>
        <source>Number</source>
        <translation>Anzahl</translation>
    </message>
    <message>
        <source>Unit of time</source>
        <translation>Zeiteinheit</translation>
    </message>
    <message>
        <source>seconds</source>
        <translation>Sekunden</translation>
    </message>
    <message>
        <source>minutes</source>
        <translation>Minuten</translation>
    </message>
    <message>
        <source>hours</source>
        <translation>Stunden</translation>
    </message>
    <message>
        <source>days</source>
        <translation>Tage</translation>
    </message>
    <message>
        <source>Day of the month</source>
        <translation>Tag des Monats</translation>
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
        <source>minute  hour  day  month  weekday; several texts are parted by semicolons</source>
        <translation>Minute  Stunde  Tag  Monat  Wochentag; mehrere Texte durch Semikolon trennen</translation>
    </message>
    <message>
        <source>Set in the script; it stays so until you choose something else.</source>
        <translation>Im Skript festgelegt; es bleibt so, bis du etwas anderes wählst.</translation>
    </message>
</context>
<context>
    <name>SentDialog</name>
    <message>
        <source>What would be sent</source>
        <translation>Was gesendet würde</translation>
    </message>
    <message>
        <source>What was sent</source>
        <translation>Was gesendet wurde</translation>
    </message>
    <message>
        <source>This went to whoever repairs scripts, and nothing else. Passwords and the words of mails were left out.</source>
        <translation>Das ging an den, der Skripte repariert, und sonst nichts. Passwörter und der Wortlaut von Mails blieben weg.</translation>
    </message>
    <message>
        <source>This goes to whoever repairs scripts, and nothing else. Passwords and the words of mails are left out.</source>
        <translation>Das geht an den, der Skripte repariert, und sonst nichts. Passwörter und der Wortlaut von Mails bleiben weg.</translation>
    </message>
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
</context>
<context>
    <name>SettingsPage</name>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Start &amp;when I log in, without a window</source>
        <translation>Beim An&amp;melden starten, ohne Fenster</translation>
    </message>
    <message>
        <source>Appearance</source>
        <translation>Aussehen</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Sprache</translation>
    </message>
    <message>
        <source>Editor</source>
        <translation>Editor</translation>
    </message>
    <message>
        <source>What your system has for Python files</source>
        <translation>Was dein System für Python-Dateien hat</translation>
    </message>
    <message>
        <source>Tell me when something &amp;needs me</source>
        <translation>Mir sagen, wenn mich etwas &amp;braucht</translation>
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
        <source>Questions may &amp;disturb me all the same</source>
        <translation>&amp;Fragen dürfen trotzdem stören</translation>
    </message>
    <message>
        <source>Send a test notice</source>
        <translation>Probe-Hinweis senden</translation>
    </message>
    <message>
        <source>Runs at once</source>
        <translation>Läufe zugleich</translation>
    </message>
    <message>
        <source>When a time comes while the run before is going</source>
        <translation>Wenn ein Termin kommt, während der Lauf davor noch läuft</translation>
    </message>
    <message>
        <source>Times that passed while the computer was off</source>
        <translation>Termine, die bei ausgeschaltetem Computer vergingen</translation>
    </message>
    <message>
        <source>Keep history for</source>
        <translation>Verlauf behalten</translation>
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
        <source>This app</source>
        <translation>Diese App</translation>
    </message>
    <message>
        <source>&amp;Appearance</source>
        <translation>&amp;Aussehen</translation>
    </message>
    <message>
        <source>&amp;Language, from the next start on</source>
        <translation>&amp;Sprache, ab dem nächsten Start</translation>
    </message>
    <message>
        <source>Edito&amp;r for scripts</source>
        <translation>Editor für S&amp;kripte</translation>
    </message>
    <message>
        <source>A command, as in: code --goto {file}:{line}</source>
        <translation>Ein Befehl, etwa: code --goto {file}:{line}</translation>
    </message>
    <message>
        <source>Notices</source>
        <translation>Hinweise</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>Läufe</translation>
    </message>
    <message>
        <source>Runs at &amp;once</source>
        <translation>Läufe &amp;zugleich</translation>
    </message>
    <message>
        <source>If the run before is &amp;still going</source>
        <translation>Wenn der Lauf davor noch &amp;läuft</translation>
    </message>
    <message>
        <source>Times that passed &amp;unseen</source>
        <translation>Verga&amp;ngene Termine</translation>
    </message>
    <message>
        <source>What a script says itself comes before these two.</source>
        <translation>Was ein Skript selbst sagt, geht diesen beiden vor.</translation>
    </message>
    <message>
        <source>Repairs</source>
        <translation>Reparaturen</translation>
    </message>
    <message>
        <source>History</source>
        <translation>Verlauf</translation>
    </message>
    <message>
        <source>&amp;Keep history for</source>
        <translation>&amp;Verlauf behalten</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>Daten</translation>
    </message>
    <message>
        <source>{number} days</source>
        <translation>{number} Tage</translation>
    </message>
    <message>
        <source>Dayhand</source>
        <translation>Dayhand</translation>
    </message>
    <message>
        <source>This is how a notice looks. All is well.</source>
        <translation>So sieht ein Hinweis aus. Alles ist gut.</translation>
    </message>
    <message>
        <source>A notice was sent. If none appears, look at your system&apos;s settings for notices.</source>
        <translation>Ein Hinweis wurde gesendet. Wenn keiner erscheint, sieh in den Einstellungen deines Systems für Benachrichtigungen nach.</translation>
    </message>
</context>
<context>
    <name>Shell</name>
    <message>
        <source>Dayhand takes no answers</source>
        <translation>Dayhand nimmt keine Antworten an</translation>
    </message>
    <message>
        <source>That was not done</source>
        <translation>Das wurde nicht getan</translation>
    </message>
    <message>
        <source>Dayhand goes on working. There is no tray here, so its window is minimised. Ctrl+Q quits.</source>
        <translation>Dayhand arbeitet weiter. Hier gibt es keinen Infobereich, darum ist das Fenster minimiert. Strg+Q beendet.</translation>
    </message>
    <message>
        <source>Dayhand is still running</source>
        <translation>Dayhand läuft weiter</translation>
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
    <name>Strip</name>
    <message>
        <source>Last outcomes</source>
        <translation>Letzte Ergebnisse</translation>
    </message>
</context>
<context>
    <name>Timeline</name>
    <message>
        <source>Timeline of the day</source>
        <translation>Zeitleiste des Tages</translation>
    </message>
    <message>
        <source>Earlier runs are in History</source>
        <translation>Frühere Läufe stehen im Verlauf</translation>
    </message>
</context>
<context>
    <name>TimesDialog</name>
    <message>
        <source>When it runs</source>
        <translation>Wann er läuft</translation>
    </message>
    <message>
        <source>Start from what is stored</source>
        <translation>Vom Gespeicherten ausgehen</translation>
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
        <source>This holds until the script itself is deployed with other times.</source>
        <translation>Das gilt, bis das Skript selbst mit anderen Terminen eingerichtet wird.</translation>
    </message>
    <message>
        <source>Its times are changed.</source>
        <translation>Die Termine sind geändert.</translation>
    </message>
    <message>
        <source>It was removed meanwhile; there is nothing to change.</source>
        <translation>Er wurde inzwischen entfernt; es gibt nichts zu ändern.</translation>
    </message>
    <message>
        <source>Somebody else changed these times while you did. Nothing was saved yet.</source>
        <translation>Jemand anderes hat diese Termine zugleich geändert. Noch ist nichts gespeichert.</translation>
    </message>
    <message>
        <source>Stored now: {theirs}
Yours: {mine}</source>
        <translation>Jetzt gespeichert: {theirs}
Deine: {mine}</translation>
    </message>
    <message>
        <source>Save mine instead</source>
        <translation>Meine speichern</translation>
    </message>
</context>
<context>
    <name>TodayPage</name>
    <message>
        <source>Today</source>
        <translation>Heute</translation>
    </message>
    <message>
        <source>All {number} that need you</source>
        <translation>Alle {number}, die dich brauchen</translation>
    </message>
    <message>
        <source>Needs you</source>
        <translation>Braucht dich</translation>
    </message>
    <message>
        <source>The day</source>
        <translation>Der Tag</translation>
    </message>
    <message>
        <source>What happened</source>
        <translation>Was geschah</translation>
    </message>
    <message>
        <source>No workflows yet</source>
        <translation>Noch keine Abläufe</translation>
    </message>
    <message>
        <source>A workflow is a Python file with a chore in it. Add one, and this page shows what it does.</source>
        <translation>Ein Ablauf ist eine Python-Datei mit einer Aufgabe. Füge einen hinzu, und diese Seite zeigt, was er tut.</translation>
    </message>
    <message>
        <source>Add a workflow</source>
        <translation>Ablauf hinzufügen</translation>
    </message>
    <message>
        <source>Try the sample</source>
        <translation>Beispiel ausprobieren</translation>
    </message>
    <message>
        <source>Preparing the sample…</source>
        <translation>Das Beispiel wird vorbereitet …</translation>
    </message>
    <message>
        <source>Nothing yet today.</source>
        <translation>Heute noch nichts.</translation>
    </message>
    <message>
        <source>1 run went well and had nothing to tell.</source>
        <translation>1 Lauf ging gut und hatte nichts zu berichten.</translation>
    </message>
    <message>
        <source>{number} runs went well and had nothing to tell.</source>
        <translation>{number} Läufe gingen gut und hatten nichts zu berichten.</translation>
    </message>
    <message>
        <source>More is in History.</source>
        <translation>Mehr steht im Verlauf.</translation>
    </message>
</context>
<context>
    <name>Trial</name>
    <message>
        <source>The trial ended without an answer. Try it again.</source>
        <translation>Der Probelauf endete ohne Antwort. Versuch es noch einmal.</translation>
    </message>
    <message>
        <source>The trial could not be started. Try it again.</source>
        <translation>Der Probelauf konnte nicht beginnen. Versuch es noch einmal.</translation>
    </message>
</context>
<context>
    <name>TryDialog</name>
    <message>
        <source>Try it</source>
        <translation>Ausprobieren</translation>
    </message>
    <message>
        <source>Try {name}</source>
        <translation>{name} ausprobieren</translation>
    </message>
    <message>
        <source>It runs now, in a place of its own. It reads for real through your connections; what it would do outside is shown and not done. Where it would ask you, yes is taken for granted. What the script does by itself, without a connection, is done.</source>
        <translation>Der Ablauf läuft jetzt an einem eigenen Ort. Er liest wirklich über deine Verbindungen; was er außerhalb tun würde, wird gezeigt und nicht getan. Wo er dich fragen würde, gilt ein Ja. Was das Skript von sich aus tut, ohne Verbindung, geschieht.</translation>
    </message>
    <message>
        <source>How long</source>
        <translation>Wie lange</translation>
    </message>
    <message>
        <source>Once</source>
        <translation>Einmal</translation>
    </message>
    <message>
        <source>A day of its schedule</source>
        <translation>Einen Tag seiner Termine</translation>
    </message>
    <message>
        <source>A week of its schedule</source>
        <translation>Eine Woche seiner Termine</translation>
    </message>
    <message>
        <source>A month of its schedule</source>
        <translation>Einen Monat seiner Termine</translation>
    </message>
    <message>
        <source>It is being tried</source>
        <translation>Der Ablauf wird ausprobiert</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>It is being tried…</source>
        <translation>Der Ablauf wird ausprobiert …</translation>
    </message>
    <message>
        <source>What it would do</source>
        <translation>Was er tun würde</translation>
    </message>
    <message>
        <source>&amp;How long</source>
        <translation>&amp;Wie lange</translation>
    </message>
    <message>
        <source>Try it again</source>
        <translation>Noch einmal</translation>
    </message>
    <message>
        <source>Show more ({number})</source>
        <translation>Mehr zeigen ({number})</translation>
    </message>
    <message>
        <source>Nothing ran: there was nothing to do.</source>
        <translation>Nichts lief: Es gab nichts zu tun.</translation>
    </message>
    <message>
        <source>1 run. Nothing was done outside.</source>
        <translation>1 Lauf. Außerhalb wurde nichts getan.</translation>
    </message>
    <message>
        <source>{number} runs. Nothing was done outside.</source>
        <translation>{number} Läufe. Außerhalb wurde nichts getan.</translation>
    </message>
    <message>
        <source>It would have gone on; so many are enough to see.</source>
        <translation>Es ginge noch weiter; so viele reichen zum Ansehen.</translation>
    </message>
    <message>
        <source>Times are those of the trial.</source>
        <translation>Die Zeiten sind die des Probelaufs.</translation>
    </message>
    <message>
        <source>At the end it waited: {sentence}</source>
        <translation>Am Ende wartete er: {sentence}</translation>
    </message>
</context>
<context>
    <name>VersionsTab</name>
    <message>
        <source>Versions</source>
        <translation>Versionen</translation>
    </message>
    <message>
        <source>Roll back to this version…</source>
        <translation>Zu dieser Version zurück …</translation>
    </message>
    <message>
        <source>Version {number} · {when}</source>
        <translation>Version {number} · {when}</translation>
    </message>
    <message>
        <source>rolled back</source>
        <translation>zurückgewechselt</translation>
    </message>
    <message>
        <source>repair</source>
        <translation>Reparatur</translation>
    </message>
    <message>
        <source>in use</source>
        <translation>in Gebrauch</translation>
    </message>
    <message>
        <source>Version {number}</source>
        <translation>Version {number}</translation>
    </message>
    <message>
        <source>Nothing before</source>
        <translation>Nichts davor</translation>
    </message>
</context>
<context>
    <name>WaitingList</name>
    <message>
        <source>And {number} more.</source>
        <translation>Und {number} weitere.</translation>
    </message>
    <message>
        <source>{title} is left out.</source>
        <translation>{title} wird ausgelassen.</translation>
    </message>
</context>
<context>
    <name>Watching</name>
    <message>
        <source>it now calls itself {name}, not {workflow}; deploy it yourself.</source>
        <translation>er nennt sich jetzt {name}, nicht {workflow}; richte ihn selbst ein.</translation>
    </message>
    <message>
        <source>it now has a job, which may do all that you may; deploy it yourself.</source>
        <translation>er hat jetzt eine Aufgabe (job), die alles darf, was du darfst; richte ihn selbst ein.</translation>
    </message>
    <message>
        <source>{workflow}: deployed version {version}, since its file was saved.</source>
        <translation>{workflow}: Version {version} ist eingerichtet, weil die Datei gespeichert wurde.</translation>
    </message>
    <message>
        <source>{file} was saved, and the version before goes on: {why}</source>
        <translation>{file} wurde gespeichert, und die Version davor läuft weiter: {why}</translation>
    </message>
    <message>
        <source>{file} was saved, and not deployed: {why}</source>
        <translation>{file} wurde gespeichert und nicht eingerichtet: {why}</translation>
    </message>
    <message>
        <source>{file} was saved, and could not be deployed: {why}</source>
        <translation>{file} wurde gespeichert und ließ sich nicht einrichten: {why}</translation>
    </message>
</context>
<context>
    <name>Welcome</name>
    <message>
        <source>Welcome to Dayhand</source>
        <translation>Willkommen bei Dayhand</translation>
    </message>
    <message>
        <source>&amp;Start when I log in</source>
        <translation>Beim An&amp;melden starten</translation>
    </message>
    <message>
        <source>The sample is being prepared</source>
        <translation>Das Beispiel wird vorbereitet</translation>
    </message>
    <message>
        <source>S&amp;kip</source>
        <translation>Ü&amp;berspringen</translation>
    </message>
    <message>
        <source>&amp;Back</source>
        <translation>&amp;Zurück</translation>
    </message>
    <message>
        <source>Dayhand does your chores, and asks first</source>
        <translation>Dayhand erledigt deine Aufgaben und fragt vorher</translation>
    </message>
    <message>
        <source>It runs them on time, on this computer, also after sleep or a crash.</source>
        <translation>Pünktlich, auf diesem Computer, auch nach Ruhezustand oder Absturz.</translation>
    </message>
    <message>
        <source>Before anything is sent or changed, it shows you exactly what, and waits.</source>
        <translation>Bevor etwas gesendet oder geändert wird, zeigt es dir genau, was, und wartet.</translation>
    </message>
    <message>
        <source>Nothing is done twice, and you can always see what happened and why.</source>
        <translation>Nichts wird doppelt getan, und du siehst immer, was geschah und warum.</translation>
    </message>
    <message>
        <source>It stays out of your way</source>
        <translation>Es steht nicht im Weg</translation>
    </message>
    <message>
        <source>Closing the window does not end Dayhand: its icon stays in your tray.</source>
        <translation>Das Fenster zu schließen beendet Dayhand nicht: Das Symbol bleibt im Infobereich.</translation>
    </message>
    <message>
        <source>When something needs you, a notice with buttons appears, and the icon shows it.</source>
        <translation>Wenn dich etwas braucht, erscheint ein Hinweis mit Knöpfen, und das Symbol zeigt es.</translation>
    </message>
    <message>
        <source>A chore is a Python file, a workflow. The Workflows page is where you add one.</source>
        <translation>Eine Aufgabe ist eine Python-Datei, ein Ablauf. Auf der Seite „Abläufe“ fügst du einen hinzu.</translation>
    </message>
    <message>
        <source>See it work</source>
        <translation>Sieh es arbeiten</translation>
    </message>
    <message>
        <source>A sample workflow looks into a folder with three receipts.</source>
        <translation>Ein Beispiel-Ablauf sieht in einen Ordner mit drei Belegen.</translation>
    </message>
    <message>
        <source>It asks whether it may add them to a table. You say yes or no.</source>
        <translation>Er fragt, ob er sie in eine Tabelle eintragen darf. Du sagst ja oder nein.</translation>
    </message>
    <message>
        <source>It needs no network and no account, and can be removed again.</source>
        <translation>Er braucht kein Netz und kein Konto und lässt sich wieder entfernen.</translation>
    </message>
    <message>
        <source>Its files go to {folder}.</source>
        <translation>Seine Dateien kommen nach {folder}.</translation>
    </message>
    <message>
        <source>Start the sample</source>
        <translation>Beispiel starten</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>Weiter</translation>
    </message>
    <message>
        <source>{place} of {number}</source>
        <translation>{place} von {number}</translation>
    </message>
    <message>
        <source>Preparing the sample…</source>
        <translation>Das Beispiel wird vorbereitet …</translation>
    </message>
</context>
<context>
    <name>WholeTable</name>
    <message>
        <source>The chosen row</source>
        <translation>Die gewählte Zeile</translation>
    </message>
</context>
<context>
    <name>Window</name>
    <message>
        <source>Pages</source>
        <translation>Seiten</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>Hilfe</translation>
    </message>
    <message>
        <source>Look again</source>
        <translation>Neu laden</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Suchen</translation>
    </message>
    <message>
        <source>Close the window</source>
        <translation>Fenster schließen</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Beenden</translation>
    </message>
    <message>
        <source>Everything goes on.</source>
        <translation>Alles geht weiter.</translation>
    </message>
</context>
<context>
    <name>WorkflowPane</name>
    <message>
        <source>← Workflows</source>
        <translation>← Abläufe</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>Antworten</translation>
    </message>
    <message>
        <source>Run now</source>
        <translation>Jetzt starten</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Stoppen</translation>
    </message>
    <message>
        <source>Try it…</source>
        <translation>Ausprobieren …</translation>
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
        <source>&amp;Overview</source>
        <translation>Ü&amp;bersicht</translation>
    </message>
    <message>
        <source>&amp;Versions</source>
        <translation>&amp;Versionen</translation>
    </message>
    <message>
        <source>P&amp;ermissions</source>
        <translation>&amp;Erlaubnisse</translation>
    </message>
    <message>
        <source>&amp;Settings</source>
        <translation>E&amp;instellungen</translation>
    </message>
    <message>
        <source>It starts now.</source>
        <translation>Er startet jetzt.</translation>
    </message>
    <message>
        <source>It is being stopped.</source>
        <translation>Er wird gestoppt.</translation>
    </message>
    <message>
        <source>It is allowed.</source>
        <translation>Das ist erlaubt.</translation>
    </message>
    <message>
        <source>It is no longer allowed.</source>
        <translation>Das ist nicht mehr erlaubt.</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>That workflow is no longer there.</source>
        <translation>Diesen Ablauf gibt es nicht mehr.</translation>
    </message>
    <message>
        <source>It goes on.</source>
        <translation>Er geht weiter.</translation>
    </message>
    <message>
        <source>Everything goes on.</source>
        <translation>Alles geht weiter.</translation>
    </message>
    <message>
        <source>It is paused; nothing of it starts.</source>
        <translation>Er ist pausiert; nichts davon startet.</translation>
    </message>
    <message>
        <source>It is paused; its times pass until then.</source>
        <translation>Es ist pausiert; seine Termine verstreichen bis dahin.</translation>
    </message>
    <message>
        <source>It is deployed again whenever its file is saved.</source>
        <translation>Er wird neu eingerichtet, sobald seine Datei gespeichert wird.</translation>
    </message>
    <message>
        <source>Its file is no longer watched.</source>
        <translation>Seine Datei wird nicht mehr beobachtet.</translation>
    </message>
    <message>
        <source>Its next time is skipped.</source>
        <translation>Sein nächster Termin wird übersprungen.</translation>
    </message>
    <message>
        <source>No more past times are run.</source>
        <translation>Es werden keine Termine mehr nachgeholt.</translation>
    </message>
    <message>
        <source>Use version {number} again?</source>
        <translation>Wieder Version {number} nehmen?</translation>
    </message>
    <message>
        <source>It becomes a new version; what was stored by runs stays.</source>
        <translation>Sie wird eine neue Version; was Läufe gespeichert haben, bleibt.</translation>
    </message>
    <message>
        <source>Put {name} away?</source>
        <translation>{name} weglegen?</translation>
    </message>
    <message>
        <source>This cannot be taken back. Your file stays.</source>
        <translation>Das lässt sich nicht zurücknehmen. Deine Datei bleibt.</translation>
    </message>
    <message>
        <source>Roll back</source>
        <translation>Zurückwechseln</translation>
    </message>
    <message>
        <source>Version {number} is in use again.</source>
        <translation>Version {number} ist wieder in Gebrauch.</translation>
    </message>
    <message>
        <source>Nothing of it runs until you deploy it again.</source>
        <translation>Nichts davon läuft, bis du ihn wieder einrichtest.</translation>
    </message>
    <message>
        <source>Put away</source>
        <translation>Weglegen</translation>
    </message>
    <message>
        <source>{name} is put away.</source>
        <translation>{name} ist weggelegt.</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Remove {name} with all its history?</source>
        <translation>{name} mit dem ganzen Verlauf entfernen?</translation>
    </message>
    <message>
        <source>{name} is removed.</source>
        <translation>{name} ist entfernt.</translation>
    </message>
</context>
<context>
    <name>WorkflowSettingsTab</name>
    <message>
        <source>Open the file</source>
        <translation>Datei öffnen</translation>
    </message>
    <message>
        <source>Deploy it again…</source>
        <translation>Neu einrichten …</translation>
    </message>
    <message>
        <source>Deploy again whenever the &amp;file is saved</source>
        <translation>Neu einrichten, sobald die &amp;Datei gespeichert wird</translation>
    </message>
    <message>
        <source>Put away…</source>
        <translation>Weglegen …</translation>
    </message>
    <message>
        <source>Remove with its history…</source>
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
        <source>When you no longer need it</source>
        <translation>Wenn du ihn nicht mehr brauchst</translation>
    </message>
    <message>
        <source>Put away, nothing of it runs and its history stays; deploying it again brings it back. Removed, it and its history are gone. Your file stays in both cases.</source>
        <translation>Weggelegt läuft nichts davon, und der Verlauf bleibt; neu eingerichtet ist er wieder da. Entfernt sind er und sein Verlauf weg. Deine Datei bleibt in beiden Fällen.</translation>
    </message>
    <message>
        <source>None. A script gives its workflow tags: Workflow(…, tags=[…]).</source>
        <translation>Keine. Ein Skript gibt seinem Ablauf Schlagwörter: Workflow(…, tags=[…]).</translation>
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
        <source>Workflows</source>
        <translation>Abläufe</translation>
    </message>
    <message>
        <source>No workflows yet</source>
        <translation>Noch keine Abläufe</translation>
    </message>
    <message>
        <source>A workflow is one Python file that does a chore for you. Begin with one of ours, or drop a .py file of yours here. You see what it may do before anything runs.</source>
        <translation>Ein Ablauf ist eine Python-Datei, die dir eine Aufgabe abnimmt. Beginne mit einem von uns, oder lege eine eigene .py-Datei hier ab. Du siehst, was er darf, bevor etwas läuft.</translation>
    </message>
    <message>
        <source>New workflow…</source>
        <translation>Neuer Ablauf …</translation>
    </message>
    <message>
        <source>Deploy a script…</source>
        <translation>Skript einrichten …</translation>
    </message>
    <message>
        <source>Nothing matches</source>
        <translation>Nichts passt</translation>
    </message>
    <message>
        <source>No workflow has these words, this state and this tag.</source>
        <translation>Kein Ablauf hat diese Wörter, diesen Zustand und dieses Schlagwort.</translation>
    </message>
    <message>
        <source>Show all</source>
        <translation>Alle zeigen</translation>
    </message>
    <message>
        <source>Deploy a script</source>
        <translation>Skript einrichten</translation>
    </message>
    <message>
        <source>Python files (*.py)</source>
        <translation>Python-Dateien (*.py)</translation>
    </message>
    <message>
        <source>Search workflows</source>
        <translation>Abläufe durchsuchen</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>All states</source>
        <translation>Alle Zustände</translation>
    </message>
    <message>
        <source>Tag</source>
        <translation>Schlagwort</translation>
    </message>
    <message>
        <source>All tags</source>
        <translation>Alle Schlagwörter</translation>
    </message>
    <message>
        <source>Run now</source>
        <translation>Jetzt starten</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pausieren</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>{name} starts now.</source>
        <translation>{name} startet jetzt.</translation>
    </message>
    <message>
        <source>{shown} of {all}</source>
        <translation>{shown} von {all}</translation>
    </message>
    <message>
        <source>{all} in all</source>
        <translation>Insgesamt {all}</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>{name} goes on.</source>
        <translation>{name} geht weiter.</translation>
    </message>
    <message>
        <source>Everything goes on.</source>
        <translation>Alles geht weiter.</translation>
    </message>
    <message>
        <source>{name} is paused; nothing of it starts until you resume it.</source>
        <translation>{name} ist pausiert; nichts davon startet, bis du ihn fortsetzt.</translation>
    </message>
</context>
<context>
    <name>answers</name>
    <message>
        <source>Reconnect…</source>
        <translation>Neu verbinden …</translation>
    </message>
    <message>
        <source>It happened</source>
        <translation>Ist geschehen</translation>
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
        <source>Run it again</source>
        <translation>Noch einmal starten</translation>
    </message>
    <message>
        <source>Review</source>
        <translation>Ansehen</translation>
    </message>
    <message>
        <source>Asks for your approval</source>
        <translation>Bittet um Zustimmung</translation>
    </message>
    <message>
        <source>Asks for permission</source>
        <translation>Bittet um Erlaubnis</translation>
    </message>
    <message>
        <source>Lost its account</source>
        <translation>Konto verloren</translation>
    </message>
    <message>
        <source>Waits for the keyring</source>
        <translation>Wartet auf den Schlüsselbund</translation>
    </message>
    <message>
        <source>Did it happen?</source>
        <translation>Ist es geschehen?</translation>
    </message>
    <message>
        <source>Was interrupted</source>
        <translation>Wurde unterbrochen</translation>
    </message>
    <message>
        <source>Script error</source>
        <translation>Fehler im Skript</translation>
    </message>
    <message>
        <source>Repair is ready</source>
        <translation>Reparatur liegt bereit</translation>
    </message>
    <message>
        <source>Was repaired</source>
        <translation>Wurde repariert</translation>
    </message>
    <message>
        <source>Keeps failing</source>
        <translation>Scheitert immer wieder</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>Gestoppt</translation>
    </message>
    <message>
        <source>The script says: {words}</source>
        <translation>Das Skript sagt: {words}</translation>
    </message>
    <message>
        <source>Line {number}</source>
        <translation>Zeile {number}</translation>
    </message>
    <message>
        <source>Currently there</source>
        <translation>Derzeit dort</translation>
    </message>
    <message>
        <source>{wire} looks like {meant} but is a different server.</source>
        <translation>{wire} sieht aus wie {meant}, ist aber ein anderer Server.</translation>
    </message>
    <message>
        <source>Only the first {number} values were checked for look-alike addresses.</source>
        <translation>Nur die ersten {number} Werte wurden auf täuschend ähnliche Adressen geprüft.</translation>
    </message>
    <message>
        <source>Check these addresses</source>
        <translation>Prüfe diese Adressen</translation>
    </message>
    <message>
        <source>Approve</source>
        <translation>Zustimmen</translation>
    </message>
    <message>
        <source>Allow</source>
        <translation>Erlauben</translation>
    </message>
    <message>
        <source>You said yes. It goes on now.</source>
        <translation>Du hast ja gesagt. Es geht weiter.</translation>
    </message>
    <message>
        <source>Reject</source>
        <translation>Ablehnen</translation>
    </message>
    <message>
        <source>Don&apos;t allow</source>
        <translation>Nicht erlauben</translation>
    </message>
    <message>
        <source>You said no. It is left out.</source>
        <translation>Du hast nein gesagt. Es wird ausgelassen.</translation>
    </message>
    <message>
        <source>Always allow this</source>
        <translation>Immer erlauben</translation>
    </message>
    <message>
        <source>You said yes, and will not be asked about this again.</source>
        <translation>Du hast ja gesagt und wirst das nicht mehr gefragt.</translation>
    </message>
    <message>
        <source>Thank you. It goes on from there.</source>
        <translation>Danke. Von da geht es weiter.</translation>
    </message>
    <message>
        <source>It is left as it is.</source>
        <translation>Es bleibt, wie es ist.</translation>
    </message>
    <message>
        <source>Skip</source>
        <translation>Überspringen</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Noch einmal versuchen</translation>
    </message>
    <message>
        <source>It tries again now.</source>
        <translation>Er versucht es jetzt noch einmal.</translation>
    </message>
    <message>
        <source>Roll back</source>
        <translation>Zurückwechseln</translation>
    </message>
    <message>
        <source>The version before is in use again.</source>
        <translation>Die Version davor ist wieder in Gebrauch.</translation>
    </message>
    <message>
        <source>Apply</source>
        <translation>Anwenden</translation>
    </message>
    <message>
        <source>The repaired script is in use.</source>
        <translation>Das reparierte Skript ist in Gebrauch.</translation>
    </message>
    <message>
        <source>No</source>
        <translation>Nein</translation>
    </message>
    <message>
        <source>The script stays as it is.</source>
        <translation>Das Skript bleibt, wie es ist.</translation>
    </message>
    <message>
        <source>Keep it</source>
        <translation>Behalten</translation>
    </message>
    <message>
        <source>The repaired script stays in use.</source>
        <translation>Das reparierte Skript bleibt in Gebrauch.</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>Bearbeiten</translation>
    </message>
    <message>
        <source>Have it repaired…</source>
        <translation>Reparieren lassen …</translation>
    </message>
    <message>
        <source>A repair is being prepared.</source>
        <translation>Eine Reparatur wird vorbereitet.</translation>
    </message>
    <message>
        <source>See what was sent</source>
        <translation>Gesendetes ansehen</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>With</source>
        <translation>Mit</translation>
    </message>
    <message>
        <source>Action</source>
        <translation>Aktion</translation>
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
        <source>Link to {place}</source>
        <translation>Verknüpfung zu {place}</translation>
    </message>
</context>
<context>
    <name>autostart</name>
    <message>
        <source>Dayhand cannot start by itself on this system. Add it to the programs that start at login.</source>
        <translation>Auf diesem System kann Dayhand nicht von selbst starten. Füge es den Programmen hinzu, die beim Anmelden starten.</translation>
    </message>
    <message>
        <source>Starting at login could not be turned on: {why}. Check that you may write to {path}.</source>
        <translation>Der Start beim Anmelden ließ sich nicht einschalten: {why}. Prüfe, ob du {path} schreiben darfst.</translation>
    </message>
    <message>
        <source>Starting at login could not be turned off: {why}. Check that you may write to {path}.</source>
        <translation>Der Start beim Anmelden ließ sich nicht ausschalten: {why}. Prüfe, ob du {path} schreiben darfst.</translation>
    </message>
</context>
<context>
    <name>backing up</name>
    <message>
        <source>No backup could be made: {why}</source>
        <translation>Es ließ sich keine Sicherung machen: {why}</translation>
    </message>
</context>
<context>
    <name>connections</name>
    <message>
        <source>Reconnect</source>
        <translation>Neu verbinden</translation>
    </message>
    <message>
        <source>Connected</source>
        <translation>Verbunden</translation>
    </message>
    <message>
        <source>Not connected</source>
        <translation>Nicht verbunden</translation>
    </message>
    <message>
        <source>{kind} · nobody uses it</source>
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
        <source>Calendar</source>
        <translation>Kalender</translation>
    </message>
    <message>
        <source>News feed</source>
        <translation>Nachrichten-Feed</translation>
    </message>
    <message>
        <source>Files</source>
        <translation>Dateien</translation>
    </message>
    <message>
        <source>Google</source>
        <translation>Google</translation>
    </message>
    <message>
        <source>Web API</source>
        <translation>Web-API</translation>
    </message>
    <message>
        <source>Mail (IMAP)</source>
        <translation>Mail (IMAP)</translation>
    </message>
    <message>
        <source>Notification</source>
        <translation>Hinweis</translation>
    </message>
    <message>
        <source>Restic</source>
        <translation>Restic</translation>
    </message>
    <message>
        <source>Secret</source>
        <translation>Geheimnis</translation>
    </message>
    <message>
        <source>Slack</source>
        <translation>Slack</translation>
    </message>
    <message>
        <source>Mail (SMTP)</source>
        <translation>Mail (SMTP)</translation>
    </message>
    <message>
        <source>Table</source>
        <translation>Tabelle</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>Adresse</translation>
    </message>
    <message>
        <source>User</source>
        <translation>Benutzer</translation>
    </message>
    <message>
        <source>Password</source>
        <translation>Passwort</translation>
    </message>
    <message>
        <source>Certificate</source>
        <translation>Zertifikat</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>Ordner</translation>
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
        <source>Account</source>
        <translation>Konto</translation>
    </message>
    <message>
        <source>Login</source>
        <translation>Anmeldung</translation>
    </message>
    <message>
        <source>Password or token</source>
        <translation>Passwort oder Token</translation>
    </message>
    <message>
        <source>Header</source>
        <translation>Header</translation>
    </message>
    <message>
        <source>Downloads</source>
        <translation>Downloads</translation>
    </message>
    <message>
        <source>Server</source>
        <translation>Server</translation>
    </message>
    <message>
        <source>Port</source>
        <translation>Port</translation>
    </message>
    <message>
        <source>Encryption</source>
        <translation>Verschlüsselung</translation>
    </message>
    <message>
        <source>Token</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>From</source>
        <translation>Von</translation>
    </message>
    <message>
        <source>Server of the sent mail</source>
        <translation>Server der gesendeten Mails</translation>
    </message>
    <message>
        <source>Its port</source>
        <translation>Dessen Port</translation>
    </message>
    <message>
        <source>Its encryption</source>
        <translation>Dessen Verschlüsselung</translation>
    </message>
    <message>
        <source>Its user</source>
        <translation>Dessen Benutzer</translation>
    </message>
    <message>
        <source>Its password</source>
        <translation>Dessen Passwort</translation>
    </message>
    <message>
        <source>Folder of sent mail</source>
        <translation>Ordner der gesendeten Mails</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>Reads a calendar on a CalDAV server, and adds events to it.</source>
        <translation>Liest einen Kalender auf einem CalDAV-Server und fügt Termine hinzu.</translation>
    </message>
    <message>
        <source>Of one calendar, as in https://example.org/dav/me/home/.</source>
        <translation>Eines Kalenders, etwa https://example.org/dav/me/home/.</translation>
    </message>
    <message>
        <source>Who logs in.</source>
        <translation>Wer sich anmeldet.</translation>
    </message>
    <message>
        <source>Best one for this app only.</source>
        <translation>Am besten eines nur für diese App.</translation>
    </message>
    <message>
        <source>A PEM file to believe beside the system&apos;s, for a server with a certificate of its own.</source>
        <translation>Eine PEM-Datei, der zusätzlich vertraut wird, für einen Server mit eigenem Zertifikat.</translation>
    </message>
    <message>
        <source>Reads RSS and Atom feeds.</source>
        <translation>Liest RSS- und Atom-Feeds.</translation>
    </message>
    <message>
        <source>Of the feed itself, as in https://example.org/feed.xml.</source>
        <translation>Des Feeds selbst, etwa https://example.org/feed.xml.</translation>
    </message>
    <message>
        <source>Only for a feed that asks for a login.</source>
        <translation>Nur für einen Feed, der eine Anmeldung verlangt.</translation>
    </message>
    <message>
        <source>Of that user.</source>
        <translation>Dieses Benutzers.</translation>
    </message>
    <message>
        <source>Reads and changes files in one folder of this computer.</source>
        <translation>Liest und ändert Dateien in einem Ordner dieses Computers.</translation>
    </message>
    <message>
        <source>Nothing outside it is touched.</source>
        <translation>Nichts außerhalb wird berührt.</translation>
    </message>
    <message>
        <source>Mail, calendar and files of a Google account.</source>
        <translation>Mail, Kalender und Dateien eines Google-Kontos.</translation>
    </message>
    <message>
        <source>Made in the Google Cloud console: an OAuth client of the type desktop app.</source>
        <translation>Aus der Google-Cloud-Konsole: ein OAuth-Client vom Typ Desktop-App.</translation>
    </message>
    <message>
        <source>Shown beside the client ID; some apps have none.</source>
        <translation>Steht neben der Client-ID; manche Apps haben keines.</translation>
    </message>
    <message>
        <source>Who signs in; filled in when you do.</source>
        <translation>Wer sich anmeldet; wird dabei ausgefüllt.</translation>
    </message>
    <message>
        <source>Only for a server that speaks as Google does; leave it empty for Google itself.</source>
        <translation>Nur für einen Server, der wie Google spricht; für Google selbst leer lassen.</translation>
    </message>
    <message>
        <source>Asks any web API, downloads from it and sends to it.</source>
        <translation>Fragt eine beliebige Web-API, lädt von ihr herunter und sendet an sie.</translation>
    </message>
    <message>
        <source>Where the API begins, as in https://api.example.org/v1; nothing outside it is asked.</source>
        <translation>Wo die API beginnt, etwa https://api.example.org/v1; nichts außerhalb wird gefragt.</translation>
    </message>
    <message>
        <source>How the API knows you.</source>
        <translation>Woran die API dich erkennt.</translation>
    </message>
    <message>
        <source>For the login basic.</source>
        <translation>Für die Anmeldung basic.</translation>
    </message>
    <message>
        <source>The password of basic, the token of bearer, or the value of the header.</source>
        <translation>Das Passwort von basic, das Token von bearer oder der Wert des Headers.</translation>
    </message>
    <message>
        <source>Which header the login header uses.</source>
        <translation>Welchen Header die Anmeldung header nutzt.</translation>
    </message>
    <message>
        <source>Where files go.</source>
        <translation>Wohin Dateien kommen.</translation>
    </message>
    <message>
        <source>Reads, moves and marks mail at a mail server.</source>
        <translation>Liest, verschiebt und markiert Mails auf einem Mailserver.</translation>
    </message>
    <message>
        <source>As in imap.example.org.</source>
        <translation>Etwa imap.example.org.</translation>
    </message>
    <message>
        <source>tls from the first byte on, starttls after a greeting, or none for a server on this computer.</source>
        <translation>tls vom ersten Byte an, starttls nach der Begrüßung oder none für einen Server auf diesem Computer.</translation>
    </message>
    <message>
        <source>Often the whole address.</source>
        <translation>Oft die ganze Adresse.</translation>
    </message>
    <message>
        <source>Some providers want one made for this app.</source>
        <translation>Manche Anbieter wollen eines nur für diese App.</translation>
    </message>
    <message>
        <source>Shows notifications on this computer.</source>
        <translation>Zeigt Hinweise auf diesem Computer.</translation>
    </message>
    <message>
        <source>The password of a restic repository, for backups that jobs make.</source>
        <translation>Das Passwort eines restic-Archivs, für Sicherungen durch Jobs.</translation>
    </message>
    <message>
        <source>Kept in the keyring of this computer only.</source>
        <translation>Liegt nur im Schlüsselbund dieses Computers.</translation>
    </message>
    <message>
        <source>A passphrase or token that commands of jobs read from a pipe.</source>
        <translation>Eine Passphrase oder ein Token, das Befehle von Jobs aus einer Pipe lesen.</translation>
    </message>
    <message>
        <source>Reads and posts messages in a Slack workspace.</source>
        <translation>Liest und schreibt Nachrichten in einem Slack-Workspace.</translation>
    </message>
    <message>
        <source>From the app that you made for your workspace, under Basic Information.</source>
        <translation>Von der App für deinen Workspace, unter „Basic Information“.</translation>
    </message>
    <message>
        <source>A bot token of that app; leave it empty to sign in through the browser.</source>
        <translation>Ein Bot-Token dieser App; leer lassen, um dich im Browser anzumelden.</translation>
    </message>
    <message>
        <source>Only for a server that speaks as Slack does.</source>
        <translation>Nur für einen Server, der wie Slack spricht.</translation>
    </message>
    <message>
        <source>Sends mail through a mail server.</source>
        <translation>Sendet Mails über einen Mailserver.</translation>
    </message>
    <message>
        <source>As in smtp.example.org.</source>
        <translation>Etwa smtp.example.org.</translation>
    </message>
    <message>
        <source>Often the whole address; empty if the server wants no login.</source>
        <translation>Oft die ganze Adresse; leer, wenn der Server keine Anmeldung will.</translation>
    </message>
    <message>
        <source>The address that mails come from: Anna &lt;anna@example.org&gt;.</source>
        <translation>Die Adresse, von der Mails kommen: Anna &lt;anna@example.org&gt;.</translation>
    </message>
    <message>
        <source>As in imap.example.org. With it Dayhand keeps what it sent, and finds out in doubt.</source>
        <translation>Etwa imap.example.org. Damit behält Dayhand Gesendetes und findet im Zweifel heraus, was war.</translation>
    </message>
    <message>
        <source>If it is another.</source>
        <translation>Wenn es ein anderes ist.</translation>
    </message>
    <message>
        <source>If the server does not mark it.</source>
        <translation>Wenn der Server ihn nicht kennzeichnet.</translation>
    </message>
    <message>
        <source>Adds rows to a CSV or SQLite file of this computer, and reads them.</source>
        <translation>Fügt Zeilen in eine CSV- oder SQLite-Datei dieses Computers ein und liest sie.</translation>
    </message>
    <message>
        <source>A file that ends in .csv, .sqlite, .sqlite3 or .db; made if it is not there.</source>
        <translation>Eine Datei mit der Endung .csv, .sqlite, .sqlite3 oder .db; sie wird angelegt, wenn es sie nicht gibt.</translation>
    </message>
    <message>
        <source>Which table of a SQLite file.</source>
        <translation>Welche Tabelle einer SQLite-Datei.</translation>
    </message>
    <message>
        <source>Scopes</source>
        <translation>Bereiche</translation>
    </message>
    <message>
        <source>Sign-in page</source>
        <translation>Anmeldeseite</translation>
    </message>
    <message>
        <source>Token address</source>
        <translation>Token-Adresse</translation>
    </message>
    <message>
        <source>For the login oauth2, as in https://example.org/oauth/authorize.</source>
        <translation>Für die Anmeldung oauth2, etwa https://example.org/oauth/authorize.</translation>
    </message>
    <message>
        <source>For the login oauth2, as in https://example.org/oauth/token.</source>
        <translation>Für die Anmeldung oauth2, etwa https://example.org/oauth/token.</translation>
    </message>
    <message>
        <source>For the login oauth2: from the app that you made at the service.</source>
        <translation>Für die Anmeldung oauth2: von der App, die du beim Dienst angelegt hast.</translation>
    </message>
    <message>
        <source>For the login oauth2, with spaces between them.</source>
        <translation>Für die Anmeldung oauth2, mit Leerzeichen dazwischen.</translation>
    </message>
</context>
<context>
    <name>details</name>
    <message>
        <source>yes</source>
        <translation>ja</translation>
    </message>
    <message>
        <source>no</source>
        <translation>nein</translation>
    </message>
    <message>
        <source>(empty object)</source>
        <translation>(leeres Objekt)</translation>
    </message>
    <message>
        <source>(empty list)</source>
        <translation>(leere Liste)</translation>
    </message>
    <message>
        <source>(empty)</source>
        <translation>(leer)</translation>
    </message>
    <message>
        <source>⟨{number} empty lines⟩</source>
        <translation>⟨{number} leere Zeilen⟩</translation>
    </message>
    <message>
        <source>⟨{number} spaces⟩</source>
        <translation>⟨{number} Leerzeichen⟩</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Select all</source>
        <translation>Alles auswählen</translation>
    </message>
    <message>
        <source>Long names are shortened.</source>
        <translation>Lange Namen sind gekürzt.</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>Details</translation>
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
        <source>{number} characters</source>
        <translation>{number} Zeichen</translation>
    </message>
    <message>
        <source>the first {number} shown</source>
        <translation>die ersten {number} sichtbar</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>Werte</translation>
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
        <source>Value</source>
        <translation>Wert</translation>
    </message>
    <message>
        <source>{number} rows</source>
        <translation>{number} Zeilen</translation>
    </message>
    <message>
        <source>1 row</source>
        <translation>1 Zeile</translation>
    </message>
    <message>
        <source>{shown} of {number} columns shown</source>
        <translation>{shown} von {number} Spalten sichtbar</translation>
    </message>
</context>
<context>
    <name>editing</name>
    <message>
        <source>A quote has no end in {editor}.</source>
        <translation>Ein Anführungszeichen in {editor} hat kein Ende.</translation>
    </message>
    <message>
        <source>There is no program {name}; choose another editor in Settings.</source>
        <translation>Es gibt kein Programm {name}; wähle in den Einstellungen einen anderen Editor.</translation>
    </message>
    <message>
        <source>{file} could not be opened; choose an editor in Settings.</source>
        <translation>{file} konnte nicht geöffnet werden; wähle in den Einstellungen einen Editor.</translation>
    </message>
</context>
<context>
    <name>export</name>
    <message>
        <source>{path} could not be written: {why}. Choose another place.</source>
        <translation>{path} ließ sich nicht schreiben: {why}. Wähle einen anderen Ort.</translation>
    </message>
    <message>
        <source>{file} is not an export of Dayhand, or is damaged. Nothing was changed.</source>
        <translation>{file} ist kein Export von Dayhand oder ist beschädigt. Nichts wurde geändert.</translation>
    </message>
    <message>
        <source>{file} was written by a newer Dayhand. Nothing was changed; update this one.</source>
        <translation>{file} stammt von einem neueren Dayhand. Nichts wurde geändert; aktualisiere dieses.</translation>
    </message>
    <message>
        <source>{path} cannot be read: {why}. Nothing was changed.</source>
        <translation>{path} lässt sich nicht lesen: {why}. Nichts wurde geändert.</translation>
    </message>
    <message>
        <source>There is no room for what is in {file}. Nothing was changed; free some space.</source>
        <translation>Für den Inhalt von {file} ist kein Platz. Nichts wurde geändert; schaffe etwas Platz.</translation>
    </message>
</context>
<context>
    <name>fixes</name>
    <message>
        <source>The script failed. A repair is ready: look at what it changes.</source>
        <translation>Das Skript ist gescheitert. Eine Reparatur liegt bereit: Sieh dir an, was sie ändert.</translation>
    </message>
    <message>
        <source>The script failed and was repaired. It goes on with version {number}.</source>
        <translation>Das Skript ist gescheitert und wurde repariert. Es geht weiter mit Version {number}.</translation>
    </message>
    <message>
        <source>What broke</source>
        <translation>Was schiefging</translation>
    </message>
    <message>
        <source>Look twice</source>
        <translation>Sieh genau hin</translation>
    </message>
    <message>
        <source>What the repair changes</source>
        <translation>Was die Reparatur ändert</translation>
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
        <source>planned</source>
        <translation>geplant</translation>
    </message>
    <message>
        <source>started by you</source>
        <translation>von dir gestartet</translation>
    </message>
    <message>
        <source>a past time, made up for</source>
        <translation>ein nachgeholter Termin</translation>
    </message>
    <message>
        <source>after it was deployed</source>
        <translation>nach dem Einrichten</translation>
    </message>
    <message>
        <source>something arrived</source>
        <translation>etwas traf ein</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>Handler</source>
        <translation>Handler</translation>
    </message>
    <message>
        <source>Script</source>
        <translation>Skript</translation>
    </message>
    <message>
        <source>version {number}</source>
        <translation>Version {number}</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>Status</translation>
    </message>
    <message>
        <source>Attempt</source>
        <translation>Versuch</translation>
    </message>
    <message>
        <source>Planned</source>
        <translation>Geplant</translation>
    </message>
    <message>
        <source>Key of the action</source>
        <translation>Schlüssel der Aktion</translation>
    </message>
    <message>
        <source>Began</source>
        <translation>Begann</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>Ergebnis</translation>
    </message>
    <message>
        <source>What</source>
        <translation>Was</translation>
    </message>
    <message>
        <source>Attempts</source>
        <translation>Versuche</translation>
    </message>
    <message>
        <source>Taken from</source>
        <translation>Genommen aus</translation>
    </message>
    <message>
        <source>Prepared</source>
        <translation>Vorbereitet</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>Antwort</translation>
    </message>
    <message>
        <source>Traceback</source>
        <translation>Traceback</translation>
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
        <source>What happened</source>
        <translation>Was geschah</translation>
    </message>
    <message>
        <source>Took</source>
        <translation>Dauer</translation>
    </message>
    <message>
        <source>more than {number}</source>
        <translation>mehr als {number}</translation>
    </message>
    <message>
        <source>{count} times: {sentence}</source>
        <translation>{count}-mal: {sentence}</translation>
    </message>
    <message>
        <source>It is running now.</source>
        <translation>Läuft gerade.</translation>
    </message>
    <message>
        <source>It waits for your answer.</source>
        <translation>Er wartet auf deine Antwort.</translation>
    </message>
    <message>
        <source>It finds out whether it happened.</source>
        <translation>Er findet heraus, ob es geschehen ist.</translation>
    </message>
    <message>
        <source>Dayhand ended while it ran.</source>
        <translation>Dayhand endete während des Laufs.</translation>
    </message>
    <message>
        <source>Looked; there was nothing to report.</source>
        <translation>Nachgesehen; es gab nichts zu berichten.</translation>
    </message>
</context>
<context>
    <name>new</name>
    <message>
        <source>There is a workflow called {name} already. Give this one another name.</source>
        <translation>Es gibt schon einen Ablauf namens {name}. Gib diesem einen anderen Namen.</translation>
    </message>
    <message>
        <source>{file} is there already. Choose another file.</source>
        <translation>{file} gibt es schon. Wähle eine andere Datei.</translation>
    </message>
    <message>
        <source>{file} cannot be written: {why}. Choose another place.</source>
        <translation>{file} lässt sich nicht schreiben: {why}. Wähle einen anderen Ort.</translation>
    </message>
    <message>
        <source>An answer is missing here.</source>
        <translation>Hier fehlt eine Antwort.</translation>
    </message>
    <message>
        <source>Write a number from 0 on.</source>
        <translation>Schreib eine Zahl ab 0.</translation>
    </message>
    <message>
        <source>Write one command with quotes that match. What needs a shell: sh -c &apos;…&apos;</source>
        <translation>Schreib einen Befehl, dessen Anführungszeichen zusammenpassen. Was eine Shell braucht: sh -c &apos;…&apos;</translation>
    </message>
    <message>
        <source>Write an address in the web, such as https://example.org/page.</source>
        <translation>Schreib eine Adresse im Web, etwa https://example.org/seite.</translation>
    </message>
    <message>
        <source>Write a mail address, such as me@example.org.</source>
        <translation>Schreib eine Mailadresse, etwa ich@example.org.</translation>
    </message>
    <message>
        <source>That is not a regular expression.</source>
        <translation>Das ist kein regulärer Ausdruck.</translation>
    </message>
    <message>
        <source>Write a time of day, such as 09:00.</source>
        <translation>Schreib eine Uhrzeit, etwa 09:00.</translation>
    </message>
    <message>
        <source>There is no such time zone. Write one such as Europe/Berlin.</source>
        <translation>Diese Zeitzone gibt es nicht. Schreib eine wie Europe/Berlin.</translation>
    </message>
    <message>
        <source>That cannot be used here. Write something else.</source>
        <translation>Das geht hier nicht. Schreib etwas anderes.</translation>
    </message>
    <message>
        <source>{name} is connected already, with {value}. Give the same here, or change it in Connections.</source>
        <translation>{name} ist schon verbunden, mit {value}. Gib hier dasselbe an, oder ändere es unter Verbindungen.</translation>
    </message>
</context>
<context>
    <name>notices</name>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>%1 (%2 times)</source>
        <translation>%1 (%2-mal)</translation>
    </message>
    <message>
        <source>During quiet hours: %1 things need you</source>
        <translation>In der Ruhezeit: %1 Sachen brauchen dich</translation>
    </message>
    <message>
        <source>%2: %1 things need you</source>
        <translation>%2: %1 Sachen brauchen dich</translation>
    </message>
    <message>
        <source>%1 things need you</source>
        <translation>%1 Sachen brauchen dich</translation>
    </message>
    <message>
        <source>and %1 more</source>
        <translation>und %1 weitere</translation>
    </message>
</context>
<context>
    <name>overview</name>
    <message>
        <source>Started by a script, so it takes no answers</source>
        <translation>Von einem Skript gestartet, nimmt deshalb keine Antworten an</translation>
    </message>
    <message>
        <source>1 thing needs you</source>
        <translation>1 Sache braucht dich</translation>
    </message>
    <message>
        <source>{number} things need you</source>
        <translation>{number} Sachen brauchen dich</translation>
    </message>
    <message>
        <source>Something went wrong inside Dayhand</source>
        <translation>In Dayhand ging etwas schief</translation>
    </message>
    <message>
        <source>{name} is running</source>
        <translation>{name} läuft</translation>
    </message>
    <message>
        <source>{number} workflows are running</source>
        <translation>{number} Abläufe laufen</translation>
    </message>
    <message>
        <source>No network; what needs it waits</source>
        <translation>Kein Netz; was es braucht, wartet</translation>
    </message>
    <message>
        <source>No workflows yet</source>
        <translation>Noch keine Abläufe</translation>
    </message>
    <message>
        <source>All is well</source>
        <translation>Alles gut</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>Pausiert</translation>
    </message>
    <message>
        <source>Paused until you resume</source>
        <translation>Pausiert, bis du fortsetzt</translation>
    </message>
    <message>
        <source>Paused until {time}</source>
        <translation>Pausiert bis {time}</translation>
    </message>
    <message>
        <source>Next: {name}, {time}</source>
        <translation>Als Nächstes: {name}, {time}</translation>
    </message>
</context>
<context>
    <name>pages</name>
    <message>
        <source>Today</source>
        <translation>Heute</translation>
    </message>
    <message>
        <source>Workflows</source>
        <translation>Abläufe</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>Zu klären</translation>
    </message>
    <message>
        <source>History</source>
        <translation>Verlauf</translation>
    </message>
    <message>
        <source>Connections</source>
        <translation>Verbindungen</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
</context>
<context>
    <name>parameters</name>
    <message>
        <source>Rows</source>
        <translation>Zeilen</translation>
    </message>
    <message>
        <source>Path</source>
        <translation>Pfad</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>HTML</source>
        <translation>HTML</translation>
    </message>
    <message>
        <source>Replace what is there</source>
        <translation>Vorhandenes ersetzen</translation>
    </message>
    <message>
        <source>From where</source>
        <translation>Von wo</translation>
    </message>
    <message>
        <source>To where</source>
        <translation>Wohin</translation>
    </message>
    <message>
        <source>To</source>
        <translation>An</translation>
    </message>
    <message>
        <source>Cc</source>
        <translation>Kopie</translation>
    </message>
    <message>
        <source>Bcc</source>
        <translation>Blindkopie</translation>
    </message>
    <message>
        <source>Subject</source>
        <translation>Betreff</translation>
    </message>
    <message>
        <source>Attachments</source>
        <translation>Anhänge</translation>
    </message>
    <message>
        <source>Title</source>
        <translation>Titel</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>Beginn</translation>
    </message>
    <message>
        <source>End</source>
        <translation>Ende</translation>
    </message>
    <message>
        <source>Place</source>
        <translation>Ort</translation>
    </message>
    <message>
        <source>Description</source>
        <translation>Beschreibung</translation>
    </message>
    <message>
        <source>Calendar</source>
        <translation>Kalender</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>Ordner</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Channel</source>
        <translation>Kanal</translation>
    </message>
    <message>
        <source>Thread</source>
        <translation>Gesprächsfaden</translation>
    </message>
    <message>
        <source>Method</source>
        <translation>Methode</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>Hinzufügen</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Time zone</source>
        <translation>Zeitzone</translation>
    </message>
</context>
<context>
    <name>paths</name>
    <message>
        <source>Choose a folder</source>
        <translation>Ordner auswählen</translation>
    </message>
    <message>
        <source>Choose a file</source>
        <translation>Datei auswählen</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>Auswählen …</translation>
    </message>
</context>
<context>
    <name>saying</name>
    <message>
        <source>It is running now. Wait until it has ended, or stop it first.</source>
        <translation>Er läuft gerade. Warte, bis er fertig ist, oder stoppe ihn zuerst.</translation>
    </message>
    <message>
        <source>It is paused. Resume it first.</source>
        <translation>Er ist pausiert. Setze ihn zuerst fort.</translation>
    </message>
    <message>
        <source>It is held up. Attention says what it waits for.</source>
        <translation>Er kommt nicht weiter. „Zu klären“ sagt, worauf er wartet.</translation>
    </message>
    <message>
        <source>It has several things to run. Open it and choose one.</source>
        <translation>Er hat mehreres zu starten. Öffne ihn und wähle eines.</translation>
    </message>
    <message>
        <source>It waits for your answer. Open Attention and answer first.</source>
        <translation>Er wartet auf deine Antwort. Öffne „Zu klären“ und antworte zuerst.</translation>
    </message>
    <message>
        <source>Nothing of it waits to be tried again.</source>
        <translation>Nichts davon wartet auf einen neuen Versuch.</translation>
    </message>
</context>
<context>
    <name>schedule</name>
    <message>
        <source>Skipped: {time}</source>
        <translation>Übersprungen: {time}</translation>
    </message>
    <message>
        <source>Paused: these times pass without running.</source>
        <translation>Pausiert: Diese Termine vergehen ohne Lauf.</translation>
    </message>
    <message>
        <source>No more times.</source>
        <translation>Keine Termine mehr.</translation>
    </message>
</context>
<context>
    <name>schedules</name>
    <message>
        <source>every second</source>
        <translation>jede Sekunde</translation>
    </message>
    <message>
        <source>every {number} seconds</source>
        <translation>alle {number} Sekunden</translation>
    </message>
    <message>
        <source>every minute</source>
        <translation>jede Minute</translation>
    </message>
    <message>
        <source>{rule}; all {narrowing}</source>
        <translation>{rule}; alles {narrowing}</translation>
    </message>
    <message>
        <source>{rule}, {narrowing}</source>
        <translation>{rule}, {narrowing}</translation>
    </message>
    <message>
        <source>{rule} (real time, does not follow local time when clocks change)</source>
        <translation>{rule} (in echter Zeit, ohne die Zeitumstellung)</translation>
    </message>
    <message>
        <source>{rule}; and {rule}</source>
        <translation>{rule}; und {rule}</translation>
    </message>
    <message>
        <source>once on {date} at {time}</source>
        <translation>einmal am {date} um {time}</translation>
    </message>
    <message>
        <source>{days}, at {times}</source>
        <translation>{days}, um {times}</translation>
    </message>
    <message>
        <source>at {parts}</source>
        <translation>in {parts}</translation>
    </message>
    <message>
        <source>at {parts} {days}</source>
        <translation>in {parts} {days}</translation>
    </message>
    <message>
        <source>every {number} minutes</source>
        <translation>alle {number} Minuten</translation>
    </message>
    <message>
        <source>every hour</source>
        <translation>jede Stunde</translation>
    </message>
    <message>
        <source>every {number} hours</source>
        <translation>alle {number} Stunden</translation>
    </message>
    <message>
        <source>every {number} days</source>
        <translation>alle {number} Tage</translation>
    </message>
    <message>
        <source>every minute at {numbers} second past</source>
        <translation>jede Minute in Sekunde {numbers}</translation>
    </message>
    <message>
        <source>every minute at {numbers} seconds past</source>
        <translation>jede Minute in den Sekunden {numbers}</translation>
    </message>
    <message>
        <source>every {length}</source>
        <translation>alle {length}</translation>
    </message>
    <message>
        <source>{spans} and {spans}</source>
        <translation>{spans} und {spans}</translation>
    </message>
    <message>
        <source>from {time} to {time} of every hour</source>
        <translation>von {time} bis {time} jeder Stunde</translation>
    </message>
    <message>
        <source>from {time} to {time}</source>
        <translation>von {time} bis {time}</translation>
    </message>
    <message>
        <source>at {time}</source>
        <translation>um {time}</translation>
    </message>
    <message>
        <source>{parts} of {parts}</source>
        <translation>{parts} von {parts}</translation>
    </message>
    <message>
        <source>second {numbers}</source>
        <translation>Sekunde {numbers}</translation>
    </message>
    <message>
        <source>seconds {numbers}</source>
        <translation>Sekunde {numbers}</translation>
    </message>
    <message>
        <source>minute {numbers}</source>
        <translation>Minute {numbers}</translation>
    </message>
    <message>
        <source>minutes {numbers}</source>
        <translation>Minute {numbers}</translation>
    </message>
    <message>
        <source>hour {numbers}</source>
        <translation>Stunde {numbers}</translation>
    </message>
    <message>
        <source>hours {numbers}</source>
        <translation>Stunde {numbers}</translation>
    </message>
    <message>
        <source>{numbers} and {numbers}</source>
        <translation>{numbers} und {numbers}</translation>
    </message>
    <message>
        <source>{numbers} to {numbers}</source>
        <translation>{numbers} bis {numbers}</translation>
    </message>
    <message>
        <source>{times} and {times}</source>
        <translation>{times} und {times}</translation>
    </message>
    <message>
        <source>daily</source>
        <translation>täglich</translation>
    </message>
    <message>
        <source>daily {period}</source>
        <translation>täglich {period}</translation>
    </message>
    <message>
        <source>on the {ordinals} or {days}</source>
        <translation>am {ordinals} oder {days}</translation>
    </message>
    <message>
        <source>{period} on the {ordinals} or {days}</source>
        <translation>{period} am {ordinals} oder {days}</translation>
    </message>
    <message>
        <source>on the {ordinals} if it is {weekday}</source>
        <translation>am {ordinals}, wenn es {weekday} ist</translation>
    </message>
    <message>
        <source>on weekdays</source>
        <translation>montags bis freitags</translation>
    </message>
    <message>
        <source>on weekends</source>
        <translation>am Wochenende</translation>
    </message>
    <message>
        <source>hourly at {times}</source>
        <translation>stündlich um {times}</translation>
    </message>
    <message>
        <source>{days} at {times}</source>
        <translation>{days} um {times}</translation>
    </message>
    <message>
        <source>weekdays</source>
        <translation>montags bis freitags</translation>
    </message>
    <message>
        <source>weekends</source>
        <translation>am Wochenende</translation>
    </message>
    <message>
        <source>on the {ordinals} of the month</source>
        <translation>am {ordinals} des Monats</translation>
    </message>
    <message>
        <source>{ordinals} of the month</source>
        <translation>am {ordinals} des Monats</translation>
    </message>
    <message>
        <source>on the {ordinals} of {months}</source>
        <translation>am {ordinals} {months}</translation>
    </message>
    <message>
        <source>{ordinals} of {months}</source>
        <translation>am {ordinals} {months}</translation>
    </message>
    <message>
        <source>on the {which} {name} of the month</source>
        <translation>am {which} {name} des Monats</translation>
    </message>
    <message>
        <source>{which} {name} of the month</source>
        <translation>am {which} {name} des Monats</translation>
    </message>
    <message>
        <source>{days} and on the {which} {name} of the month</source>
        <translation>{days} und am {which} {name} des Monats</translation>
    </message>
    <message>
        <source>from {name} to {name}</source>
        <translation>von {name} bis {name}</translation>
    </message>
    <message>
        <source>{name} to {name}</source>
        <translation>von {name} bis {name}</translation>
    </message>
    <message>
        <source>on {plurals}</source>
        <translation>{plurals}</translation>
    </message>
    <message>
        <source>on {dates}</source>
        <translation>am {dates}</translation>
    </message>
    <message>
        <source>{dates}</source>
        <translation>am {dates}</translation>
    </message>
    <message>
        <source>Mondays</source>
        <translation>montags</translation>
    </message>
    <message>
        <source>Tuesdays</source>
        <translation>dienstags</translation>
    </message>
    <message>
        <source>Wednesdays</source>
        <translation>mittwochs</translation>
    </message>
    <message>
        <source>Thursdays</source>
        <translation>donnerstags</translation>
    </message>
    <message>
        <source>Fridays</source>
        <translation>freitags</translation>
    </message>
    <message>
        <source>Saturdays</source>
        <translation>samstags</translation>
    </message>
    <message>
        <source>Sundays</source>
        <translation>sonntags</translation>
    </message>
    <message>
        <source>{plurals} and {plurals}</source>
        <translation>{plurals} und {plurals}</translation>
    </message>
    <message>
        <source>a weekday</source>
        <translation>ein Werktag</translation>
    </message>
    <message>
        <source>a {name} or {name}</source>
        <translation>ein {name} oder {name}</translation>
    </message>
    <message>
        <source>a {name}</source>
        <translation>ein {name}</translation>
    </message>
    <message>
        <source>the {which} {name} of the month</source>
        <translation>am {which} {name} des Monats</translation>
    </message>
    <message>
        <source>{which} and {which}</source>
        <translation>{which} und {which}</translation>
    </message>
    <message>
        <source>first</source>
        <translation>ersten</translation>
    </message>
    <message>
        <source>second</source>
        <translation>zweiten</translation>
    </message>
    <message>
        <source>third</source>
        <translation>dritten</translation>
    </message>
    <message>
        <source>fourth</source>
        <translation>vierten</translation>
    </message>
    <message>
        <source>fifth</source>
        <translation>fünften</translation>
    </message>
    <message>
        <source>last</source>
        <translation>letzten</translation>
    </message>
    <message>
        <source>{ordinals} and {ordinals}</source>
        <translation>{ordinals} und {ordinals}</translation>
    </message>
    <message>
        <source>{ordinals} to {ordinals}</source>
        <translation>{ordinals} bis {ordinals}</translation>
    </message>
    <message>
        <source>last day</source>
        <translation>letzten Tag</translation>
    </message>
    <message>
        <source>each month from {month} to {month}</source>
        <translation>jedes Monats von {month} bis {month}</translation>
    </message>
    <message>
        <source>{months} and {months}</source>
        <translation>{months} und {months}</translation>
    </message>
    <message>
        <source>from {month} to {month} in {year}</source>
        <translation>von {month} bis {month} {year}</translation>
    </message>
    <message>
        <source>from {month} to {month}</source>
        <translation>von {month} bis {month}</translation>
    </message>
    <message>
        <source>in {year}</source>
        <translation>im Jahr {year}</translation>
    </message>
    <message>
        <source>in {months}</source>
        <translation>im {months}</translation>
    </message>
    <message>
        <source>{dates} and {dates}</source>
        <translation>{dates} und {dates}</translation>
    </message>
    <message>
        <source>from {moment} until {moment}</source>
        <translation>vom {moment} bis {moment}</translation>
    </message>
    <message>
        <source>from {moment}</source>
        <translation>ab {moment}</translation>
    </message>
    <message>
        <source>until {moment}</source>
        <translation>bis {moment}</translation>
    </message>
    <message>
        <source>except {excepted}</source>
        <translation>außer {excepted}</translation>
    </message>
    <message>
        <source>up to {length} later</source>
        <translation>bis zu {length} später</translation>
    </message>
    <message>
        <source>give or take {length}</source>
        <translation>± {length}</translation>
    </message>
    <message>
        <source>at most {number} run in all</source>
        <translation>insgesamt höchstens {number} Lauf</translation>
    </message>
    <message>
        <source>at most {number} runs in all</source>
        <translation>insgesamt höchstens {number} Läufe</translation>
    </message>
    <message>
        <source>{date} at {time}</source>
        <translation>{date} um {time}</translation>
    </message>
    <message>
        <source>{excepted} and {excepted}</source>
        <translation>{excepted} und {excepted}</translation>
    </message>
    <message>
        <source>{date} to {date}</source>
        <translation>{date} bis {date}</translation>
    </message>
    <message>
        <source>{number} seconds</source>
        <translation>{number} Sekunden</translation>
    </message>
    <message>
        <source>{number} second</source>
        <translation>{number} Sekunde</translation>
    </message>
    <message>
        <source>{number} minutes</source>
        <translation>{number} Minuten</translation>
    </message>
    <message>
        <source>{number} minute</source>
        <translation>{number} Minute</translation>
    </message>
    <message>
        <source>{number} hours</source>
        <translation>{number} Stunden</translation>
    </message>
    <message>
        <source>{number} hour</source>
        <translation>{number} Stunde</translation>
    </message>
    <message>
        <source>{number} days</source>
        <translation>{number} Tage</translation>
    </message>
    <message>
        <source>{number} day</source>
        <translation>{number} Tag</translation>
    </message>
    <message>
        <source>{number}th</source>
        <translation>{number}.</translation>
    </message>
    <message>
        <source>{some}, and {number} more</source>
        <translation>{some}, und {number} weitere</translation>
    </message>
</context>
<context>
    <name>settings</name>
    <message>
        <source>Your settings could not be read, so they begin anew; what was there is kept in {file}.</source>
        <translation>Deine Einstellungen ließen sich nicht lesen und beginnen von vorn; was dort stand, liegt in {file}.</translation>
    </message>
    <message>
        <source>Your choice holds until Dayhand ends, but it could not be kept: {why}. Check that you may write to {folder}.</source>
        <translation>Deine Wahl gilt, bis Dayhand endet, ließ sich aber nicht speichern: {why}. Prüfe, ob du in {folder} schreiben darfst.</translation>
    </message>
    <message>
        <source>1 workflow arrived, paused: look at it and resume it.</source>
        <translation>1 Ablauf kam pausiert an: Sieh ihn an und setze ihn fort.</translation>
    </message>
    <message>
        <source>{number} workflows arrived, paused: look at each and resume it.</source>
        <translation>{number} Abläufe kamen pausiert an: Sieh jeden an und setze ihn fort.</translation>
    </message>
    <message>
        <source>Connect again: {names}.</source>
        <translation>Neu verbinden: {names}.</translation>
    </message>
    <message>
        <source>Skip the new one</source>
        <translation>Den neuen überspringen</translation>
    </message>
    <message>
        <source>Run the latest one afterwards</source>
        <translation>Den letzten danach starten</translation>
    </message>
    <message>
        <source>Run all of them afterwards, in order</source>
        <translation>Alle danach starten, der Reihe nach</translation>
    </message>
    <message>
        <source>Ask the running one to stop, then run the new one</source>
        <translation>Den laufenden bitten aufzuhören, dann den neuen starten</translation>
    </message>
    <message>
        <source>Kill the running one, then run the new one</source>
        <translation>Den laufenden abbrechen, dann den neuen starten</translation>
    </message>
    <message>
        <source>Run them side by side</source>
        <translation>Nebeneinander laufen lassen</translation>
    </message>
    <message>
        <source>Run the latest one, once</source>
        <translation>Den letzten nachholen, einmal</translation>
    </message>
    <message>
        <source>Let them go</source>
        <translation>Verfallen lassen</translation>
    </message>
    <message>
        <source>Run all of them</source>
        <translation>Alle nachholen</translation>
    </message>
    <message>
        <source>Run all of them, spread over a minute</source>
        <translation>Alle nachholen, über eine Minute verteilt</translation>
    </message>
    <message>
        <source>As my desktop</source>
        <translation>Wie mein Desktop</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Hell</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>Dunkel</translation>
    </message>
    <message>
        <source>As my system</source>
        <translation>Wie mein System</translation>
    </message>
    <message>
        <source>30 days</source>
        <translation>30 Tage</translation>
    </message>
    <message>
        <source>90 days</source>
        <translation>90 Tage</translation>
    </message>
    <message>
        <source>A year</source>
        <translation>Ein Jahr</translation>
    </message>
    <message>
        <source>For ever</source>
        <translation>Für immer</translation>
    </message>
    <message>
        <source>Nobody</source>
        <translation>Niemand</translation>
    </message>
    <message>
        <source>A command of this computer</source>
        <translation>Ein Befehl dieses Computers</translation>
    </message>
    <message>
        <source>A model server</source>
        <translation>Ein Modell-Server</translation>
    </message>
    <message>
        <source>At once</source>
        <translation>Sofort</translation>
    </message>
    <message>
        <source>After I looked at it</source>
        <translation>Nachdem ich es gesehen habe</translation>
    </message>
    <message>
        <source>After my yes</source>
        <translation>Nach meinem Ja</translation>
    </message>
    <message>
        <source>At once, unless it must ask me</source>
        <translation>Sofort, außer sie muss mich fragen</translation>
    </message>
</context>
<context>
    <name>start</name>
    <message>
        <source>Dayhand is running but does not answer. Wait a moment; if that does not help, end it and start it again.</source>
        <translation>Dayhand läuft, antwortet aber nicht. Warte einen Moment; wenn das nicht hilft, beende es und starte es neu.</translation>
    </message>
</context>
<context>
    <name>strip</name>
    <message>
        <source>Never ran</source>
        <translation>Noch nie gelaufen</translation>
    </message>
    <message>
        <source>Last {number}: {states}</source>
        <translation>Letzte {number}: {states}</translation>
    </message>
</context>
<context>
    <name>summaries</name>
    <message>
        <source>Use {tool} on {name}</source>
        <translation>{tool} in {name} benutzen</translation>
    </message>
    <message>
        <source>text of {number} characters</source>
        <translation>Text mit {number} Zeichen</translation>
    </message>
    <message>
        <source>{people} and {number} more</source>
        <translation>{people} und {number} weitere</translation>
    </message>
    <message>
        <source>Send mail from {name} to {people}: {subject}</source>
        <translation>Mail von {name} an {people} senden: {subject}</translation>
    </message>
    <message>
        <source>attachments: {number}</source>
        <translation>Anhänge: {number}</translation>
    </message>
    <message>
        <source>Post to {channel} on {name}: {text}</source>
        <translation>In {channel} bei {name} schreiben: {text}</translation>
    </message>
    <message>
        <source>Send {method} {path} to {name}</source>
        <translation>{method} {path} an {name} senden</translation>
    </message>
    <message>
        <source>Delete {path} in {name}</source>
        <translation>{path} in {name} löschen</translation>
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
        <source>Move {source} to {target} in {name}</source>
        <translation>{source} in {name} nach {target} verschieben</translation>
    </message>
    <message>
        <source>Add 1 row to {name}</source>
        <translation>1 Zeile an {name} anfügen</translation>
    </message>
    <message>
        <source>Add {number} rows to {name}</source>
        <translation>{number} Zeilen an {name} anfügen</translation>
    </message>
    <message>
        <source>Move message {message} from {folder} to {target} in {name}</source>
        <translation>Nachricht {message} in {name} von {folder} nach {target} verschieben</translation>
    </message>
    <message>
        <source>Mark message {message} in {folder} of {name}</source>
        <translation>Nachricht {message} in {folder} von {name} markieren</translation>
    </message>
    <message>
        <source>Change the labels of message {message} in {name}</source>
        <translation>Labels der Nachricht {message} in {name} ändern</translation>
    </message>
    <message>
        <source>Add {title} at {start} to the calendar of {name}</source>
        <translation>{title} am {start} in den Kalender von {name} eintragen</translation>
    </message>
    <message>
        <source>Upload {file} to {name}</source>
        <translation>{file} zu {name} hochladen</translation>
    </message>
    <message>
        <source>Show a notification: {title}</source>
        <translation>Einen Hinweis zeigen: {title}</translation>
    </message>
</context>
<context>
    <name>templates</name>
    <message>
        <source>Calendar reminder</source>
        <translation>Kalendererinnerung</translation>
    </message>
    <message>
        <source>a notice before each event of a calendar begins</source>
        <translation>ein Hinweis, bevor ein Eintrag im Kalender beginnt</translation>
    </message>
    <message>
        <source>How many minutes before?</source>
        <translation>Wie viele Minuten vorher?</translation>
    </message>
    <message>
        <source>Certificates and disks</source>
        <translation>Zertifikate und Festplatten</translation>
    </message>
    <message>
        <source>a notice before a certificate of a server runs out, or a disk is full</source>
        <translation>ein Hinweis, bevor das Zertifikat eines Servers abläuft oder eine Festplatte voll ist</translation>
    </message>
    <message>
        <source>Which servers, such as example.org or example.org:993 (with commas, empty for none)?</source>
        <translation>Welche Server, etwa example.org oder example.org:993 (mit Kommas, leer für keine)?</translation>
    </message>
    <message>
        <source>Which disks, by a folder on each (with commas)?</source>
        <translation>Welche Festplatten, je durch einen Ordner darauf (mit Kommas)?</translation>
    </message>
    <message>
        <source>From how many percent on is a disk too full?</source>
        <translation>Ab wie viel Prozent ist eine Festplatte zu voll?</translation>
    </message>
    <message>
        <source>Invoice reminders</source>
        <translation>Zahlungserinnerungen</translation>
    </message>
    <message>
        <source>a polite mail for each invoice that is overdue, sent only after you said yes</source>
        <translation>eine höfliche Mail für jede überfällige Rechnung, gesendet erst nach deinem Ja</translation>
    </message>
    <message>
        <source>Which table has your invoices (number, customer, mail, amount, due, paid)?</source>
        <translation>In welcher Tabelle stehen deine Rechnungen (number, customer, mail, amount, due, paid)?</translation>
    </message>
    <message>
        <source>Who signs the mails?</source>
        <translation>Wer unterschreibt die Mails?</translation>
    </message>
    <message>
        <source>Mailed receipts</source>
        <translation>Belege aus der Post</translation>
    </message>
    <message>
        <source>receipts in the inbox become rows of a table, after you said yes</source>
        <translation>aus Belegen im Posteingang werden Zeilen einer Tabelle, nach deinem Ja</translation>
    </message>
    <message>
        <source>In which table, a file that ends in .csv or .sqlite?</source>
        <translation>In welche Tabelle, eine Datei mit der Endung .csv oder .sqlite?</translation>
    </message>
    <message>
        <source>Which word in the subject makes a mail a receipt?</source>
        <translation>Welches Wort im Betreff macht eine Mail zum Beleg?</translation>
    </message>
    <message>
        <source>Morning digest</source>
        <translation>Morgenüberblick</translation>
    </message>
    <message>
        <source>what is new in a feed, in one mail every morning</source>
        <translation>was in einem Feed neu ist, jeden Morgen in einer Mail</translation>
    </message>
    <message>
        <source>What is the address of the feed?</source>
        <translation>Wie lautet die Adresse des Feeds?</translation>
    </message>
    <message>
        <source>To which address is the mail to go?</source>
        <translation>An welche Adresse soll die Mail gehen?</translation>
    </message>
    <message>
        <source>At what time?</source>
        <translation>Um wie viel Uhr?</translation>
    </message>
    <message>
        <source>In which time zone, such as Europe/Berlin?</source>
        <translation>In welcher Zeitzone, etwa Europe/Berlin?</translation>
    </message>
    <message>
        <source>Nightly command</source>
        <translation>Nächtlicher Befehl</translation>
    </message>
    <message>
        <source>a command every night; a missed night is made up for in the morning</source>
        <translation>jede Nacht ein Befehl; eine verpasste Nacht wird am Morgen nachgeholt</translation>
    </message>
    <message>
        <source>Which command is to run?</source>
        <translation>Welcher Befehl soll laufen?</translation>
    </message>
    <message>
        <source>Sort folder</source>
        <translation>Ordner aufräumen</translation>
    </message>
    <message>
        <source>files that land in a folder are sorted by kind, and copied to a second place every night</source>
        <translation>Dateien in einem Ordner werden nach Art sortiert und jede Nacht an einen zweiten Ort kopiert</translation>
    </message>
    <message>
        <source>Which folder is to be sorted?</source>
        <translation>Welcher Ordner soll sortiert werden?</translation>
    </message>
    <message>
        <source>Where is the second copy to be?</source>
        <translation>Wohin soll die zweite Kopie?</translation>
    </message>
    <message>
        <source>When is it to be copied?</source>
        <translation>Wann soll kopiert werden?</translation>
    </message>
    <message>
        <source>Watch page</source>
        <translation>Seite beobachten</translation>
    </message>
    <message>
        <source>a notice when a price or another text on a web page changes</source>
        <translation>ein Hinweis, wenn sich ein Preis oder ein anderer Text auf einer Webseite ändert</translation>
    </message>
    <message>
        <source>Which page, such as https://shop.example.org/lamps/7?</source>
        <translation>Welche Seite, etwa https://shop.example.org/lampen/7?</translation>
    </message>
    <message>
        <source>What to look for, as a regular expression with brackets around what changes?</source>
        <translation>Wonach suchen, als regulärer Ausdruck mit Klammern um das, was sich ändert?</translation>
    </message>
    <message>
        <source>Tell only at or below this price (0 tells every change)?</source>
        <translation>Nur bis zu diesem Preis melden (0 meldet jede Änderung)?</translation>
    </message>
</context>
<context>
    <name>timeline</name>
    <message>
        <source>{count} times: {states}</source>
        <translation>{count}-mal: {states}</translation>
    </message>
    <message>
        <source>Took {span}</source>
        <translation>Dauerte {span}</translation>
    </message>
    <message>
        <source>Timeline: from run to run</source>
        <translation>Zeitleiste: von Lauf zu Lauf</translation>
    </message>
    <message>
        <source>Timeline: open the run</source>
        <translation>Zeitleiste: den Lauf öffnen</translation>
    </message>
    <message>
        <source>Timeline: earlier, later</source>
        <translation>Zeitleiste: früher, später</translation>
    </message>
    <message>
        <source>Timeline: nearer, farther</source>
        <translation>Zeitleiste: näher, weiter</translation>
    </message>
    <message>
        <source>Timeline: the whole day</source>
        <translation>Zeitleiste: der ganze Tag</translation>
    </message>
</context>
<context>
    <name>times</name>
    <message>
        <source>now</source>
        <translation>jetzt</translation>
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
        <source>{span} ago</source>
        <translation>vor {span}</translation>
    </message>
    <message>
        <source>{number} s</source>
        <translation>{number} s</translation>
    </message>
    <message>
        <source>in {number} s</source>
        <translation>in {number} s</translation>
    </message>
    <message>
        <source>in {number} min</source>
        <translation>in {number} Min.</translation>
    </message>
    <message>
        <source>{number} min ago</source>
        <translation>vor {number} Min.</translation>
    </message>
    <message>
        <source>under {number} s</source>
        <translation>unter {number} s</translation>
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
        <source>yesterday</source>
        <translation>gestern</translation>
    </message>
    <message>
        <source>last {weekday}</source>
        <translation>letzten {weekday}</translation>
    </message>
    <message>
        <source>{weekday} {day} {month}</source>
        <translation>{weekday} {day}. {month}</translation>
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
        <source>since {time}</source>
        <translation>seit {time}</translation>
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
</context>
<context>
    <name>today</name>
    <message>
        <source>and so on</source>
        <translation>und so weiter</translation>
    </message>
    <message>
        <source>{sentence} ({number} times)</source>
        <translation>{sentence} ({number}-mal)</translation>
    </message>
</context>
<context>
    <name>tray</name>
    <message>
        <source>Open Dayhand</source>
        <translation>Dayhand öffnen</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Beenden</translation>
    </message>
    <message>
        <source>Dayhand is starting</source>
        <translation>Dayhand startet</translation>
    </message>
    <message>
        <source>{number} more…</source>
        <translation>{number} weitere …</translation>
    </message>
    <message>
        <source>Run now</source>
        <translation>Jetzt starten</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>30 minutes</source>
        <translation>30 Minuten</translation>
    </message>
    <message>
        <source>1 hour</source>
        <translation>1 Stunde</translation>
    </message>
    <message>
        <source>Until tomorrow</source>
        <translation>Bis morgen</translation>
    </message>
    <message>
        <source>Until I resume</source>
        <translation>Bis ich fortsetze</translation>
    </message>
    <message>
        <source>Pause for</source>
        <translation>Pausieren für</translation>
    </message>
</context>
<context>
    <name>trial</name>
    <message>
        <source>It had nothing to report.</source>
        <translation>Es gab nichts zu melden.</translation>
    </message>
    <message>
        <source>It had nothing to report, {number} times until {time}.</source>
        <translation>Es gab nichts zu melden, {number} Mal bis {time}.</translation>
    </message>
    <message>
        <source>So it went {number} more times until {time}.</source>
        <translation>So ging es noch {number} Mal bis {time}.</translation>
    </message>
    <message>
        <source>It would ask you</source>
        <translation>Er würde dich fragen</translation>
    </message>
    <message>
        <source>{tool} on {connection}</source>
        <translation>{tool} mit {connection}</translation>
    </message>
    <message>
        <source>It would do this outside</source>
        <translation>Er würde außerhalb das tun</translation>
    </message>
    <message>
        <source>It would run these commands</source>
        <translation>Er würde diese Befehle ausführen</translation>
    </message>
    <message>
        <source>It printed</source>
        <translation>Er gab aus</translation>
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
        <source>The sample would use {name}, which is yours already. Add a workflow of your own instead.</source>
        <translation>Das Beispiel würde {name} nutzen, das schon dir gehört. Füge stattdessen einen eigenen Ablauf hinzu.</translation>
    </message>
    <message>
        <source>The sample&apos;s files could not be written to {folder}: {why}.</source>
        <translation>Die Dateien des Beispiels ließen sich nicht nach {folder} schreiben: {why}.</translation>
    </message>
</context>
<context>
    <name>words</name>
    <message>
        <source>Running</source>
        <translation>Läuft</translation>
    </message>
    <message>
        <source>Queued</source>
        <translation>Eingereiht</translation>
    </message>
    <message>
        <source>Idle</source>
        <translation>Bereit</translation>
    </message>
    <message>
        <source>Retrying</source>
        <translation>Neuer Versuch</translation>
    </message>
    <message>
        <source>Needs attention</source>
        <translation>Braucht dich</translation>
    </message>
    <message>
        <source>Fixing</source>
        <translation>Wird repariert</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>Pausiert</translation>
    </message>
    <message>
        <source>Finished</source>
        <translation>Fertig</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>Gestoppt</translation>
    </message>
    <message>
        <source>Put away</source>
        <translation>Weglegen</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>Erledigt</translation>
    </message>
    <message>
        <source>Waits for you</source>
        <translation>Wartet auf dich</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Fehlgeschlagen</translation>
    </message>
    <message>
        <source>Cancelled</source>
        <translation>Abgebrochen</translation>
    </message>
    <message>
        <source>Skipped</source>
        <translation>Übersprungen</translation>
    </message>
    <message>
        <source>Missed</source>
        <translation>Verpasst</translation>
    </message>
    <message>
        <source>Replaced</source>
        <translation>Ersetzt</translation>
    </message>
    <message>
        <source>Dropped</source>
        <translation>Verworfen</translation>
    </message>
    <message>
        <source>Coming</source>
        <translation>Steht an</translation>
    </message>
    <message>
        <source>Something needs you</source>
        <translation>Etwas braucht dich</translation>
    </message>
    <message>
        <source>Something went wrong</source>
        <translation>Etwas ging schief</translation>
    </message>
    <message>
        <source>No network</source>
        <translation>Kein Netz</translation>
    </message>
    <message>
        <source>All is well</source>
        <translation>Alles gut</translation>
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
