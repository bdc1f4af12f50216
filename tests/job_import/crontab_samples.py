"""Typical crontab lines, written from the documentation of cron, cronie and FreeBSD's cron."""

TRANSLATED = """\
* * * * * /usr/bin/true
*/5 * * * * $HOME/bin/fetch-mail >/dev/null 2>&1
*/10 * * * * /usr/local/bin/mrtg /etc/mrtg.cfg
*/15 * * * * cd /srv/app && ./manage.py sync
*/20 * * * * /usr/bin/mbsync -a
*/30 * * * * offlineimap -o -u quiet
*/2 * * * * pgrep -x syncthing || syncthing &
*/3 * * * * curl -fsS -m 10 --retry 5 https://hc.example/ping
0,30 * * * * /home/me/bin/weather
5,20,35,50 * * * * python3 ~/poll.py
1-59/2 * * * * odd-minutes
0-30/10 * * * * first-half
10-20 * * * * ten-to-twenty
7 * * * * /usr/bin/php /var/www/cron.php
17 * * * * cd / && run-parts --report /etc/cron.hourly
59 * * * * last-minute
0 0 * * * /usr/sbin/logrotate ~/.logrotate.conf
5 0 * * * $HOME/bin/daily.job >> $HOME/tmp/out 2>&1
15 14 1 * * $HOME/bin/monthly
0 22 * * 1-5 echo "Where are your kids?"
23 0-23/2 * * * echo "run 23 minutes after midn, 2am, 4am ..., everyday"
5 4 * * sun echo "run at 5 after 4 every Sunday"
0 */4 1 * mon echo "run every 4th hour on the 1st and on every Monday"
0 0 */2 * sun echo "run at midn on every Sunday that is an uneven date"
30 4 1,15 * 5 echo "fourth of the month"
0 3 * * * restic backup ~/Documents
30 2 * * * borg create ::{now} ~
15 2 * * * rsync -a --delete ~/photos/ /mnt/backup/photos/
0 1 * * * pg_dump app | gzip > ~/dumps/app.sql.gz
45 23 * * * tar czf ~/backup-$(date +\\%F).tgz ~/work
0 5 * * 1 tar -zcf /var/backups/home.tgz /home/
0 6 * * 0 updatedb
0 6 * * 7 updatedb --again
0 8 * * MON-FRI notify-send "Good morning"
0 9 * * Mon,Wed,Fri standup
0 12 * * tue,thu lunch
0 18 * * fri weekend
0 17 * * 1,2,3,4,5 go-home
30 7 * * 6,0 sleep-in
0 10 * * 6-7 weekend-paper
0 9 * * 0-4 israeli-week
0 9 * * 5-7 long-weekend
0 0 1 * * billing --month
0 0 1 1 * happy-new-year
0 0 1 1,4,7,10 * quarter
0 0 1 */3 * quarter-by-step
0 0 1 jan,jul * half-year
0 0 1 JAN * january
0 0 15 jun-aug * summer
0 0 31 * * long-months
0 0 29 2 * leap-day
0 0 28-31 * * [ $(date -d tomorrow +\\%d) = 01 ] && month-end
0 0 13 * 5 friday-or-13th
30 8 1-7 * 1 first-week-or-monday
30 8 1-7 * * first-week
0 0 1-10/3 * * every-third-day-at-first
0 12 10-16/2 * * alternate
0 9-17 * * * office-hours
0 9-17 * * 1-5 office-hours-on-weekdays
*/15 9-17 * * 1-5 check-mail
*/5 8-18 * * mon-fri check-queue
0 9-17/2 * * 1-5 every-other-hour
0 8,12,16,20 * * * medicine
0 0,12 * * * twice-a-day
30 6,18 * * * water-plants
0 */2 * * * two-hourly
0 */6 * * * certbot renew --quiet
0 */8 * * * eight-hourly
0 */12 * * * twice
12 */3 * * * apt-get update
0 0-6 * * * night
0 22-23,0-6 * * * quiet-hours
0 2 * * * lost-in-spring
30 2 * * 0 lost-on-sundays
30 1 * * * before-the-gap
0 3 * * 7 after-the-gap
*/30 2 * * * half-hours-in-the-gap
0 1-3 * * * around-the-gap
@yearly yearly
@annually annually
@monthly monthly
@weekly find ~/Downloads -mtime +30 -delete
@daily daily
@midnight midnight
@hourly hourly
@DAILY capitals
@every_minute of-freebsd
  0 4 * * * leading-spaces
0\t4\t*\t*\t*\ttabs between the fields
00 05 * * * leading-zeros
01 02 03 04 * once-a-year
-0 4 * * * not-logged
0 4 * * * mail -s "It is 4am" me%Dear me,%%It is four.%Yours
0 4 * * * date +\\%s
0 4 * * * cat%
0 0 * * * : # not a comment
0 0 * * * echo '"quotes"' `backticks` $(and) \\backslashes
0 0 * * * printf 'Grüße\\n'
40 6 * * * test -x /usr/sbin/anacron || run-parts /etc/cron.daily
25 6 * * * sh -c 'exec nice -n 19 ionice -c 3 ~/bin/index'
*/1 * * * * every-minute-by-step
*/7 * * * * seven
*/59 * * * * zero-and-59
0 0 * */2 * odd-months
0 0 * feb mon mondays-of-february
0 7 24 12 * christmas-eve
"""

LEFT = {
    "@reboot /usr/bin/tmux new -d": "starts",
    "@every 5m thing": "unknown",
    "@teatime kettle": "unknown",
    "60 * * * * too-late": "minute",
    "* 24 * * * too-late": "hour",
    "0 0 32 * * too-late": "day",
    "0 0 0 * * too-early": "day",
    "0 0 * 13 * too-late": "month",
    "0 0 * * 8 too-late": "day of the week",
    "0 0 30 2 * never": "does not exist",
    "0 0 31 4,6,9,11 * never": "does not exist",
    "0 0 L * * last-day-of-other-schedulers": "'l'",
    "0 0 * * 5#2 second-friday-of-other-schedulers": "'5#2'",
    "0 0 ? * * of-quartz": "'?'",
    "H * * * * of-jenkins": "'h'",
    "0 0 15W * * of-quartz": "'15w'",
    "0~59 4 * * * random": "random",
    "~ 4 * * * random": "random",
    "5/10 * * * * step-without-range": "range",
    "*/0 * * * * no-step": "step",
    "17-5 * * * * backwards": "backwards",
    "0 22-6 * * * backwards": "backwards",
    "0 0 * * fri-mon backwards": "backwards",
    "0 0 * * monday whole-name": "'monday'",
    "-1 * * * *": "no command",
    "* * * * *": "no command",
    "@daily": "no command",
    "* * * *": "not a comment",
    "hello world": "not a comment",
    "1,,2 * * * * hole": "''",
    "1. * * * * dot": "'1.'",
    "+5 * * * * plus": "'+5'",
    "٣ * * * * digits": "minute",
}
