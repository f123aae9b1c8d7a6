import type { Database } from '@steward/platform'

/**
 * What people search in a session. The end of each text is filled up, so that a group of three
 * characters begins with each character of it.
 */
const textOf = (row: 'old' | 'new'): string =>
  ['name', 'prompt', 'project', 'last_message']
    .map((column) => `coalesce(${row}.${column}, '')`)
    .join(' || char(10, 10) || ')
    .concat(' || char(10, 10)')

/** An index of these texts by groups of three characters; the sessions hold the texts. */
export const SESSION_TEXTS = `
    CREATE VIRTUAL TABLE session_texts USING fts5(
      text, content = '', tokenize = 'trigram', columnsize = 0
    );
    CREATE VIRTUAL TABLE session_groups USING fts5vocab(session_texts, instance);
    CREATE TRIGGER session_text_added AFTER INSERT ON sessions BEGIN
      INSERT INTO session_texts (rowid, text) VALUES (new.number, ${textOf('new')});
    END;
    CREATE TRIGGER session_text_changed AFTER UPDATE OF name, prompt, project, last_message
    ON sessions WHEN ${textOf('old')} <> ${textOf('new')} BEGIN
      INSERT INTO session_texts (session_texts, rowid, text)
        VALUES ('delete', old.number, ${textOf('old')});
      INSERT INTO session_texts (rowid, text) VALUES (new.number, ${textOf('new')});
    END;`

/** The index holds groups of this many characters. */
const GROUP_CHARS = 3

export interface Condition {
  sql: string
  values: ReadonlyArray<string | number>
}

/**
 * A condition for the sessions with this text. If more than `most` have it, they are compared one
 * after the other: the reader will find enough of them soon.
 */
export const searchTexts = (
  database: Database,
  q: string,
  most: number,
): Condition & { isCommon: boolean } => {
  const { sql, values } = numbersWith(q)
  const numbers = database
    .statement(`${sql} LIMIT ?`)
    .all(...values, most + 1)
    .map(({ number }) => number)
  if (numbers.length > most) return { ...comparesWith(q), isCommon: true }
  const all = JSON.stringify(numbers)
  return { sql: 'number IN (SELECT value FROM json_each(?))', values: [all], isCommon: false }
}

const numbersWith = (q: string): Condition =>
  [...q].length < GROUP_CHARS
    ? {
        sql: 'SELECT DISTINCT doc AS number FROM session_groups WHERE term >= ? AND term < ?',
        values: [q.toLowerCase(), `${q.toLowerCase()}\u{10ffff}`],
      }
    : {
        sql: 'SELECT rowid AS number FROM session_texts WHERE session_texts MATCH ?',
        values: [`"${q.replaceAll('"', '""')}"`],
      }

const comparesWith = (q: string): Condition => ({
  sql: `(instr(lower(name), ?) OR instr(lower(coalesce(prompt, '')), ?)
    OR instr(lower(coalesce(project, '')), ?) OR instr(lower(coalesce(last_message, '')), ?))`,
  values: Array.from({ length: 4 }, () => q.toLowerCase()),
})
