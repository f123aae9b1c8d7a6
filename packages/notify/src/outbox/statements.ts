export const INSERT = `
  INSERT INTO deliveries (id, notice, channel, kind, session_id, title, message, priority, tags, click,
    color, digest, state, attempts, created_at, next_at, held_until, finished_at, detail)
  VALUES (:id, :notice, :channel, :kind, :session_id, :title, :message, :priority, :tags, :click,
    :color, :digest, :state, :attempts, :now, max(:now, :held_until), :held_until, :finished_at, :detail)`

/**
 * A given-up delivery does not suppress the next one, and neither does one in the future, after the
 * clock was set back.
 */
export const FIND_SAME = `
  SELECT id FROM deliveries
  WHERE digest = ? AND created_at > ? AND created_at <= ? AND state IN ('waiting', 'delivered')
  ORDER BY seq DESC LIMIT 1`

export const SOONEST = `
  SELECT min(next_at) AS next_at FROM deliveries
  WHERE channel = ? AND state = 'waiting' AND attempt_at = 0`

export const GIVE_UP_OLD = `
  UPDATE deliveries
  SET state = 'failed', finished_at = ?, detail = 'given up after too long a wait' || coalesce(': ' || detail, '')
  WHERE channel = ? AND state = 'waiting' AND attempt_at = 0 AND max(created_at, held_until) < ?`

/**
 * Untried ones first, so that a message its service cannot process does not block the others.
 * Claiming it also stores the start of the attempt. Identical texts keep a distance, so that a
 * service without ids can be queried for either.
 */
export const NEXT = `
  UPDATE deliveries SET attempts = attempts + 1, attempt_at = :now
  WHERE seq = (
    SELECT seq FROM deliveries AS this
    WHERE channel = :channel AND state = 'waiting' AND attempt_at = 0 AND next_at <= :now
      AND NOT EXISTS (
        SELECT 1 FROM deliveries AS same
        WHERE same.digest = this.digest
          AND (same.attempt_at > 0
            OR (same.state = 'delivered' AND same.finished_at BETWEEN :now - :distance AND :now))
      )
    ORDER BY attempts, priority DESC, seq LIMIT 1
  )
  RETURNING *`

/** An attempt in the future means that the clock was set back. */
export const UNCONFIRMED = `
  SELECT * FROM deliveries
  WHERE channel = :channel AND attempt_at > 0 AND (next_at <= :now OR attempt_at > :now)
  ORDER BY seq LIMIT 1`

/** The attempt failed, or it may have arrived and stays unconfirmed. */
export const TRY_LATER = `
  UPDATE deliveries SET next_at = ?, detail = ?, attempt_at = iif(?, attempt_at, 0) WHERE id = ?`

/** If the clock was set back, the time counts from now. */
export const ASK_LATER = `
  UPDATE deliveries
  SET next_at = :next_at, detail = :detail, questions = :questions, attempt_at = min(attempt_at, :now)
  WHERE id = :id`

export const SEND_AGAIN = `
  UPDATE deliveries
  SET next_at = ?, detail = ?, attempt_at = 0, questions = 0, is_repeat = max(is_repeat, ?)
  WHERE id = ?`

/**
 * A failed delivery waits again, with all its attempts, and its age counts from now. If an earlier
 * attempt may have arrived, the next one is a repeat.
 */
export const RETRY_FAILED = `
  UPDATE deliveries
  SET state = 'waiting', attempts = 0, questions = 0, attempt_at = 0, next_at = :now,
    held_until = :now, finished_at = NULL, detail = NULL,
    is_repeat = max(is_repeat, instr(coalesce(detail, ''), :unknown) > 0)
  WHERE id = :id AND state = 'failed'
  RETURNING *`

export const FINISH = `
  UPDATE deliveries SET state = ?, detail = ?, finished_at = ?, attempt_at = 0
  WHERE id = ? AND state = 'waiting'`

export const LIST = `
  SELECT * FROM deliveries
  WHERE (:state IS NULL OR state = :state)
    AND (:before IS NULL OR seq < (SELECT seq FROM deliveries WHERE id = :before))
  ORDER BY seq DESC LIMIT :limit`

export const PRUNE = `
  DELETE FROM deliveries
  WHERE state <> 'waiting'
    AND (created_at < ? OR seq <= (SELECT max(seq) FROM deliveries) - ?)`

export const TAKE_KEY = 'INSERT OR IGNORE INTO taken (key, notice, at) VALUES (?, ?, ?)'

export const OF_KEY = `
  SELECT deliveries.* FROM taken JOIN deliveries ON deliveries.notice = taken.notice
  WHERE taken.key = ? ORDER BY seq`

export const WITHDRAW = `
  UPDATE deliveries SET state = 'skipped', detail = 'it was answered meanwhile', finished_at = ?
  WHERE state = 'waiting' AND attempt_at = 0
    AND notice = (SELECT notice FROM taken WHERE key = ?)`
