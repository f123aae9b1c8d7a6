import type { Database } from '@steward/platform'

/** The texts of a session that people search. */
const COLUMNS = ['name', 'prompt', 'project', 'last_message']

/** Each text is padded at its end, so that a group of three characters begins with each character. */
const textOf = (row: 'old' | 'new'): string =>
  COLUMNS.map((column) => `coalesce(${row}.${column}, '')`)
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

/** The words of a search; a session must have all of them, each in any of its texts. */
export const wordsOf = (q: string): string[] => q.toLowerCase().split(/\s+/).filter(Boolean)

/**
 * A condition for the sessions with all of these words. If more than `most` have the longer ones,
 * they are compared one after the other: the reader will find enough of them soon.
 */
export const searchTexts = (
  database: Database,
  words: readonly string[],
  most: number,
): Condition & { isCommon: boolean } => {
  const { sql, values, left } = numbersWith(words)
  const numbers = database
    .statement(`${sql} LIMIT ?`)
    .all(...values, most + 1)
    .map(({ number }) => number)
  if (numbers.length > most) return { ...comparesWith(words), isCommon: true }
  const rest = comparesWith(left)
  return {
    sql: `number IN (SELECT value FROM json_each(?)) AND ${rest.sql}`,
    values: [JSON.stringify(numbers), ...rest.values],
    isCommon: false,
  }
}

const lengthOf = (word: string): number => [...word].length

/** The sessions with the words that the index can find at once, and the words that are left. */
const numbersWith = (words: readonly string[]): Condition & { left: readonly string[] } => {
  const grouped = words.filter((word) => lengthOf(word) >= GROUP_CHARS)
  if (grouped.length > 0) {
    return {
      sql: 'SELECT rowid AS number FROM session_texts WHERE session_texts MATCH ?',
      values: [grouped.map((word) => `"${word.replaceAll('"', '""')}"`).join(' AND ')],
      left: words.filter((word) => lengthOf(word) < GROUP_CHARS),
    }
  }
  const [longest = '', ...left] = words.toSorted((one, other) => lengthOf(other) - lengthOf(one))
  return {
    sql: 'SELECT DISTINCT doc AS number FROM session_groups WHERE term >= ? AND term < ?',
    values: [longest, `${longest}\u{10ffff}`],
    left,
  }
}

const comparesWith = (words: readonly string[]): Condition => ({
  sql: words
    .map(
      () => `(${COLUMNS.map((column) => `instr(lower(coalesce(${column}, '')), ?)`).join(' OR ')})`,
    )
    .concat('TRUE')
    .join(' AND '),
  values: words.flatMap((word) => COLUMNS.map(() => word)),
})
