// Pages are complete without this file. It only makes some of them quicker to use.
'use strict';
