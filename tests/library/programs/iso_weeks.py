from datetime import datetime
import random as _r
rnd=_r.Random(2)
def show(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
from datetime import date,timedelta
for _ in range(40):
    d=datetime(1990,1,1)+timedelta(days=rnd.randint(0,16000))
    for f in ('%G-W%V-%u','%G %V %a','%Y-%U-%w','%Y-%W-%u','%Y %W %A','%y %U %a','%Y-%j','%G-%V-%w'):
        t=d.strftime(f)
        show(lambda:(f,t,datetime.strptime(t,f)))
for t,f in (('2020-W53-7','%G-W%V-%u'),('2020','%G'),('2020 10','%G %V'),('10','%V'),('2020 10 1','%Y %V %u'),('2020 10 1 5','%G %V %u %j'),('2020 00 1','%G %V %u'),('2020 00 1','%Y %W %u'),('2020 53 1','%Y %W %u'),('10 1','%W %u'),('2020 8','%Y %u'),('x','%G'),('2020 400','%Y %j'),('2020 10','%Y %W')):
    show(lambda:(t,f,datetime.strptime(t,f)))
