const names = new Map<string, string>()

/** Lists are filtered in many ways; those beyond this many texts are not worth being kept. */
const MOST_NAMES = 300

/** The name under which Postgres keeps a statement of this text; nothing when there are too many. */
export const nameStatement = (text: string): string | undefined => {
  const known = names.get(text)
  if (known !== undefined || names.size >= MOST_NAMES) return known
  const made = `steward_${names.size + 1}`
  names.set(text, made)
  return made
}
