"""What visitors say of time, and the days it means on three days; worked out on a calendar by hand.

A row: the phrase | on Sunday, November 1, 2026 (the clocks went back that night) | on Monday, November 23 |
on Thursday, December 31. "-": it is unresolved. A day without a year is of 2026; "/" is from 2027.
"""

CALENDAR = """
2026-08-31 2026-08-31 Classes begin
2026-09-07 2026-09-07 Labor Day
2026-10-12 2026-10-13 Fall break
2026-11-25 2026-11-27 Thanksgiving recess
2026-12-11 2026-12-11 Last day of classes
2026-12-14 2026-12-18 Final examinations
2026-12-21 2027-01-15 Winter break
2027-01-19 2027-01-19 Classes begin
2027-03-15 2027-03-19 Spring break
2027-05-07 2027-05-07 Last day of classes
2027-05-10 2027-05-14 Final examinations
2027-05-22 2027-05-22 Commencement
"""

PHRASES = """
is the library open today                | 11-01 | 11-23 | 12-31
what's open tonight                      | 11-01 | 11-23 | 12-31
gym hours tonite                         | 11-01 | 11-23 | 12-31
is anyone there right now                | 11-01 | 11-23 | 12-31
is the pool open now                     | 11-01 | 11-23 | 12-31
can i come by this afternoon             | 11-01 | 11-23 | 12-31
is the shuttle running this morning      | 11-01 | 11-23 | 12-31
today's lunch menu                       | 11-01 | 11-23 | 12-31
is there class tomorrow                  | 11-02 | 11-24 | /01-01
bus tomorrow night                       | 11-02 | 11-24 | /01-01
food pantry open tmrw?                   | 11-02 | 11-24 | /01-01
library tommorow morning                 | 11-02 | 11-24 | /01-01
is it open the day after tomorrow        | 11-03 | 11-25 | /01-02
was the office closed yesterday          | 10-31 | 11-22 | 12-30
was there a concert last night           | 10-31 | 11-22 | 12-30
is the library open this monday          | 11-02 | 11-23 | /01-04
is the library open this tuesday         | 11-03 | 11-24 | /01-05
is the library open this wednesday       | 11-04 | 11-25 | /01-06
is the library open this thursday        | 11-05 | 11-26 | 12-31
is the library open this friday          | 11-06 | 11-27 | /01-01
is the library open this saturday        | 11-07 | 11-28 | /01-02
is the library open this sunday          | 11-01 | 11-29 | /01-03
can i tour on monday                     | 11-02 | 11-23 | /01-04
can i tour on tues                       | 11-03 | 11-24 | /01-05
can i tour on wed                        | 11-04 | 11-25 | /01-06
open thurs?                              | 11-05 | 11-26 | 12-31
grad office still open friday 4pm        | 11-06 | 11-27 | /01-01
saturday brunch                          | 11-07 | 11-28 | /01-02
can i swim on sunday                     | 11-01 | 11-29 | /01-03
do we have class next monday             | -     | 11-30 | /01-04
do we have class next tuesday            | -     | 12-01 | /01-05
do we have class next friday             | -     | 12-04 | /01-08
is it open next saturday                 | -     | 12-05 | /01-09
is it open next sunday                   | 11-08 | 12-06 | /01-10
was it open last friday                  | 10-30 | 11-20 | 12-25
was it open last monday                  | 10-26 | 11-16 | 12-28
this coming wednesday                    | 11-04 | 11-25 | /01-06
what's on this weekend                   | 10-31..11-01 | 11-28..11-29 | /01-02../01-03
open over the weekend                    | 10-31..11-01 | 11-28..11-29 | /01-02../01-03
what's on next weekend                   | 11-07..11-08 | 12-05..12-06 | /01-09../01-10
can i register this week                 | -     | 11-23..11-29 | 12-28../01-03
can i register next week                 | -     | 11-30..12-06 | /01-04../01-10
what happened last week                  | -     | 11-16..11-22 | 12-21..12-27
events this month                        | 11-01..11-30 | 11-01..11-30 | 12-01..12-31
events next month                        | 12-01..12-31 | 12-01..12-31 | /01-01../01-31
events last month                        | 10-01..10-31 | 10-01..10-31 | 11-01..11-30
i arrive in two weeks                    | 11-15 | 12-07 | /01-14
i arrive in 3 days                       | 11-04 | 11-26 | /01-03
i leave in a week                        | 11-08 | 11-30 | /01-07
a week from today                        | 11-08 | 11-30 | /01-07
i paid two days ago                      | 10-30 | 11-21 | 12-29
i applied 3 weeks ago                    | 10-11 | 11-02 | 12-10
is the gym open on nov 27                | 11-27 | 11-27 | /11-27
is the gym open november 27th            | 11-27 | 11-27 | /11-27
is the gym open on 11/27                 | 11-27 | 11-27 | /11-27
is the gym open 27 november              | 11-27 | 11-27 | /11-27
can i move in on january 17              | /01-17 | /01-17 | /01-17
can i move in jan 17, 2027               | /01-17 | /01-17 | /01-17
is it closed 2026-12-24                  | 12-24 | 12-24 | 12-24
is it closed 12/24/26                    | 12-24 | 12-24 | 12-24
open dec 28                              | 12-28 | 12-28 | -
open december 24 to january 1            | 12-24../01-01 | 12-24../01-01 | 12-24../01-01
between dec 21 and jan 5                 | 12-21../01-05 | 12-21../01-05 | -
can i stay until the 27th                | 11-27 | 11-27 | /01-27
is the office open on the 27th           | 11-27 | 11-27 | /01-27
is the office open on the 5th            | 11-05 | 12-05 | /01-05
library hours on thanksgiving            | 11-26 | 11-26 | /11-25
library hours on thanksgiving day        | 11-26 | 11-26 | /11-25
bus running turkey day                   | 11-26 | 11-26 | /11-25
library hours over thanksgiving          | 11-25..11-27 | 11-25..11-27 | -
dorms open during thanksgiving break     | 11-25..11-27 | 11-25..11-27 | -
thanksgiving recess meals                | 11-25..11-27 | 11-25..11-27 | -
open the day after thanksgiving          | 11-27 | 11-27 | /11-26
can we tour the wed before thanksgiving  | 11-25 | 11-25 | /11-24
the day before thanksgiving              | 11-25 | 11-25 | /11-24
the monday after thanksgiving            | 11-30 | 11-30 | /11-29
open black friday                        | 11-27 | 11-27 | /11-26
is the library open on labor day         | /09-06 | /09-06 | /09-06
classes on mlk day                       | /01-18 | /01-18 | /01-18
martin luther king day hours             | /01-18 | /01-18 | /01-18
no school on presidents day right        | /02-15 | /02-15 | /02-15
open memorial day?                       | /05-31 | /05-31 | /05-31
closed juneteenth                        | /06-19 | /06-19 | /06-19
closed on the fourth of july             | /07-04 | /07-04 | /07-04
closed on july 4th                       | /07-04 | /07-04 | /07-04
class on columbus day                    | /10-11 | /10-11 | /10-11
class on indigenous peoples day          | /10-11 | /10-11 | /10-11
halloween events                         | /10-31 | /10-31 | /10-31
class on election day                    | 11-03 | /11-02 | /11-02
closed on veterans day                   | 11-11 | /11-11 | /11-11
open christmas eve                       | 12-24 | 12-24 | /12-24
open on christmas                        | 12-25 | 12-25 | /12-25
open xmas day                            | 12-25 | 12-25 | /12-25
open new years eve                       | 12-31 | 12-31 | 12-31
open new year's day                      | /01-01 | /01-01 | /01-01
open on easter                           | /03-28 | /03-28 | /03-28
open on good friday                      | /03-26 | /03-26 | /03-26
hours during finals week                 | 12-14..12-18 | 12-14..12-18 | /05-10../05-14
when are finals                          | 12-14..12-18 | 12-14..12-18 | /05-10../05-14
quiet hours in exam week                 | 12-14..12-18 | 12-14..12-18 | /05-10../05-14
staying here over spring break           | /03-15../03-19 | /03-15../03-19 | /03-15../03-19
is the gym open spring break             | /03-15../03-19 | /03-15../03-19 | /03-15../03-19
is the gym open during spring break      | /03-15../03-19 | /03-15../03-19 | /03-15../03-19
is the gym open over fall break          | -     | -     | -
dorms over winter break                  | 12-21../01-15 | 12-21../01-15 | 12-21../01-15
airport bus for xmas break               | 12-21../01-15 | 12-21../01-15 | 12-21../01-15
parking on graduation day                | /05-22 | /05-22 | /05-22
commencement parking                     | /05-22 | /05-22 | /05-22
first day of classes                     | /01-19 | /01-19 | /01-19
last day of classes                      | 12-11 | 12-11 | /05-07
tutoring this semester                   | 08-31..12-18 | 08-31..12-18 | 08-31..12-18
tutoring next semester                   | /01-19../05-14 | /01-19../05-14 | /01-19../05-14
classes next spring                      | /01-19../05-14 | /01-19../05-14 | /01-19../05-14
housing spring 2027                      | /01-19../05-14 | /01-19../05-14 | /01-19../05-14
can i live here over the summer          | /06-01../08-14 | /06-01../08-14 | /06-01../08-14
jobs this summer                         | /06-01../08-14 | /06-01../08-14 | /06-01../08-14
biblioteca abierta hoy                   | 11-01 | 11-23 | 12-31
está abierto esta noche                  | 11-01 | 11-23 | 12-31
hay clases mañana                        | 11-02 | 11-24 | /01-01
hay clases pasado mañana                 | 11-03 | 11-25 | /01-02
abre este sábado                         | 11-07 | 11-28 | /01-02
abre el domingo                          | 11-01 | 11-29 | /01-03
hay clases el lunes que viene            | -     | 11-30 | /01-04
hay clases el próximo lunes              | -     | 11-30 | /01-04
qué hay este fin de semana               | 10-31..11-01 | 11-28..11-29 | /01-02../01-03
horario la próxima semana                | -     | 11-30..12-06 | /01-04../01-10
horario el 27 de noviembre               | 11-27 | 11-27 | /11-27
abren en acción de gracias               | 11-26 | 11-26 | /11-25
abren en navidad                         | 12-25 | 12-25 | /12-25
abren por la mañana                      | -     | -     | -
abren los sábados                        | -     | -     | -
monday to friday hours                   | -     | -     | -
is it open on saturdays                  | -     | -     | -
open every friday                        | -     | -     | -
weekend hours on weekends                | -     | -     | -
can i send my sat scores                 | -     | -     | -
where is the 5th floor lounge            | -     | -     | -
how do i apply for fall                  | -     | -     | -
may i bring a guest                      | -     | -     | -
is parking 24/7                          | -     | -     | -
i have 27 credits                        | -     | -     | -
what is csc 101                          | -     | -     | -
"""

# On Monday, February 28, 2028, the day before a leap day, without a calendar.
LEAP = """
open tomorrow                | 2028-02-29
open the day after tomorrow  | 2028-03-01
open wednesday               | 2028-03-01
open feb 29                  | 2028-02-29
open 2/29                    | 2028-02-29
events this month            | 2028-02-01..2028-02-29
in two days                  | 2028-03-01
this week                    | 2028-02-28..2028-03-05
a week from today            | 2028-03-06
over spring break            | -
open thanksgiving            | 2028-11-23
open on easter               | 2028-04-16
open labor day               | 2028-09-04
open memorial day            | 2028-05-29
this semester                | 2028-01-01..2028-05-31
"""
