/** A changelog after a release, and the notes of that release. */
export interface ReleasedChangelog {
  text: string
  notes: string
}

const UNRELEASED = '## Unreleased\n'

/**
 * Moves what is unreleased below a heading with the version and the day. Fails if there is nothing,
 * or if the version was released before.
 */
export const releaseChangelog = (text: string, version: string, day: string): ReleasedChangelog => {
  const start = text.indexOf(UNRELEASED)
  if (start === -1) throw new Error('CHANGELOG.md has no section "Unreleased"')
  if (text.includes(`## ${version} `)) throw new Error(`CHANGELOG.md has ${version} already`)
  const from = start + UNRELEASED.length
  const next = text.indexOf('\n## ', from)
  const notes = text.slice(from, next === -1 ? text.length : next).trim()
  if (!/^- /m.test(notes)) throw new Error('CHANGELOG.md lists no unreleased changes')
  const rest = next === -1 ? '' : text.slice(next + 1)
  return {
    text: `${text.slice(0, from)}\n## ${version} (${day})\n\n${notes}\n\n${rest}`,
    notes: `# Steward ${version}\n\n${notes}\n`,
  }
}

const VERSION = /^(\d+)\.(\d+)\.(\d+)(?:-[0-9A-Za-z.-]+)?$/

/** Checks that a version is a semantic one and later than the current one. */
export const checkVersion = (version: string, current: string): void => {
  const [next, before] = [version, current].map((each) => VERSION.exec(each)?.slice(1).map(Number))
  if (next === undefined) throw new Error(`${version} is not a version such as 5.1.0`)
  const at = next.findIndex((part, index) => part !== before?.[index])
  if (at === -1 || (next[at] ?? 0) < (before?.[at] ?? 0))
    throw new Error(`${version} is not later than ${current}`)
}
