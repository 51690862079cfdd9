-- The rules of the load as a Redis script, for a batch of signals at once: one MessagePack array in, one text out.
--
-- In:   kind, subject, and what the kind has: 0 (set) tier, year, premium, country; 1 (updated) tier;
--       2 (requested) now, campaign, segment, group; 3 (opened) now, notification. Kind after kind, in one flat array.
-- Out:  a line for each request and each opening: '+number' of what was created; 'entry,part,until;…' for what was not,
--       as in rules.h; or when it was first opened.
-- With the word 'ids' the id of the signal follows the subject, and is remembered: '=' is the answer to one that comes again.
--
-- A subject is one hash, read with one command and written with two. Instants have 13 digits, so the last creations are
-- one text of fixed width, the oldest first.
local DAY, COOLDOWN, OPENS, CLOSES = 86400000, 21600000, 25200000, 82800000
local GROUP_MAX, SUBJECT_MAX, WIDTH = 2, 5, 13
local call, sub, tonumber = redis.call, string.sub, tonumber

local function failing_part(segment, tier, year, premium, country)
  if segment == 1 then return (tier == 'gold' or tier == 'silver') and 0 or 1 end
  if segment == 2 then
    year = tonumber(year)
    if year < 1970 or year >= 1995 then return 1 end
    return country == 'pl' and 2 or 0
  end
  if segment == 3 then return (premium == '1' or tier == 'gold') and 0 or 1 end
  return 0
end

local function full_until(times, max, now)
  if not times or #times < max * WIDTH then return nil end
  local free = tonumber(sub(times, 1, WIDTH)) + DAY
  return now < free and free or nil
end

local function pushed(times, max, now)
  return times and sub(times .. now, -max * WIDTH) or now
end

local function decide(key, now, campaign, segment, group)
  local mark, window = 'c:' .. campaign, 'g:' .. group
  local known = call('HMGET', key, 'tier', 'year', 'premium', 'country', mark, window, 'times')
  local reasons = ''
  if segment > 0 then
    local part = failing_part(segment, known[1], known[2], known[3], known[4])
    if part > 0 then reasons = '0,' .. part .. ',0;' end
  end
  local of_day = now % DAY
  if of_day < OPENS or of_day >= CLOSES then
    reasons = reasons .. '1,0,' .. (now - of_day + OPENS + (of_day < OPENS and 0 or DAY)) .. ';'
  end
  local last = known[5] and tonumber(known[5])
  if last and now - last < COOLDOWN then reasons = reasons .. '2,0,' .. (last + COOLDOWN) .. ';' end
  local free = full_until(known[6], GROUP_MAX, now)
  if free then reasons = reasons .. '3,0,' .. free .. ';' end
  free = full_until(known[7], SUBJECT_MAX, now)
  if free then reasons = reasons .. '4,0,' .. free .. ';' end
  if reasons ~= '' then return reasons end
  call('HSET', key, mark, now, window, pushed(known[6], GROUP_MAX, now), 'times', pushed(known[7], SUBJECT_MAX, now))
  return '+' .. call('HINCRBY', key, 'n:' .. campaign, 1)
end

local function open(key, now, notification)
  local field = 'o:' .. notification
  return call('HSETNX', key, field, now) == 1 and now or call('HGET', key, field)
end

local LENGTHS = { [0] = 4, [1] = 1, [2] = 4, [3] = 2 }
local remembers_ids = ARGV[2] == 'ids'
local signals = cmsgpack.unpack(ARGV[1])
local answers, count, i, last = {}, 0, 1, #signals
while i <= last do
  local kind, key = signals[i], signals[i + 1]
  i = i + 2
  local is_new = true
  if remembers_ids then
    is_new = call('SADD', 'ids:' .. key, signals[i]) == 1
    i = i + 1
  end
  if not is_new then
    count = count + 1
    answers[count] = '='
  elseif kind == 2 then
    count = count + 1
    answers[count] = decide(key, signals[i], signals[i + 1], signals[i + 2], signals[i + 3])
  elseif kind == 3 then
    count = count + 1
    answers[count] = open(key, signals[i], signals[i + 1])
  elseif kind == 1 then
    call('HSET', key, 'tier', signals[i])
  else
    call('HSET', key, 'tier', signals[i], 'year', signals[i + 1], 'premium', signals[i + 2], 'country', signals[i + 3])
  end
  i = i + LENGTHS[kind]
end
return table.concat(answers, '\n')
