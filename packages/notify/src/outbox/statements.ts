export const INSERT = `
  INSERT INTO deliveries (id, notice, channel, kind, session_id, title, message, priority, tags, click,
    color, digest, state, attempts, created_at, next_at, held_until, finished_at, detail)
  VALUES (:id, :notice, :channel, :kind, :session_id, :title, :message, :priority, :tags, :click,
    :color, :digest, :state, :attempts, :now, max(:now, :held_until), :held_until, :finished_at, :detail)`

/** One that was given up is no reason to keep quiet about the next. */
export const FIND_SAME = `
  SELECT id FROM deliveries
  WHERE digest = ? AND created_at > ? AND state IN ('waiting', 'delivered')
  ORDER BY seq DESC LIMIT 1`

export const SOONEST = `
  SELECT min(next_at) AS next_at FROM deliveries WHERE channel = ? AND state = 'waiting'`

export const GIVE_UP_OLD = `
  UPDATE deliveries
  SET state = 'failed', finished_at = ?, detail = 'given up after too long a wait' || coalesce(': ' || detail, '')
  WHERE channel = ? AND state = 'waiting' AND max(created_at, held_until) < ?`

/** Fresh ones first: a message that its service chokes on does not hold up the others. */
export const NEXT = `
  UPDATE deliveries SET attempts = attempts + 1
  WHERE seq = (
    SELECT seq FROM deliveries WHERE channel = ? AND state = 'waiting' AND next_at <= ?
    ORDER BY attempts, priority DESC, seq LIMIT 1
  )
  RETURNING *`

export const FINISH = `
  UPDATE deliveries SET state = ?, detail = ?, finished_at = ? WHERE id = ? AND state = 'waiting'`

export const LIST = 'SELECT * FROM deliveries ORDER BY seq DESC LIMIT ?'

export const PRUNE = `
  DELETE FROM deliveries
  WHERE state <> 'waiting'
    AND (created_at < ? OR seq <= (SELECT max(seq) FROM deliveries) - ?)`

export const TAKE_KEY = 'INSERT OR IGNORE INTO taken (key, notice, at) VALUES (?, ?, ?)'

export const OF_KEY = `
  SELECT deliveries.* FROM taken JOIN deliveries ON deliveries.notice = taken.notice
  WHERE taken.key = ? ORDER BY seq`
