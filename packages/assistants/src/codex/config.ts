/** One hook as Codex knows it. */
export interface CodexHook {
  key: string
  currentHash: string
}

const tableOf = (key: string): string => `[hooks.state.${JSON.stringify(key)}]`
const TABLE = /^\s*\[/

/** Records that hooks are trusted in their current form; the rest of the file stays as it is. */
export const trustHooks = (config: string, hooks: readonly CodexHook[]): string => {
  const isRight = ({ key, currentHash }: CodexHook) =>
    config.includes(`${tableOf(key)}\ntrusted_hash = "${currentHash}"\n`)
  const wrong = hooks.filter((hook) => !isRight(hook))
  if (wrong.length === 0) return config
  const without = withoutTables(config, (line) => wrong.some(({ key }) => line === tableOf(key)))
  const start = without === '' || without.endsWith('\n') ? without : `${without}\n`
  const tables = wrong.map(
    ({ key, currentHash }) => `\n${tableOf(key)}\ntrusted_hash = "${currentHash}"\n`,
  )
  return `${start}${tables.join('')}`
}

/** Removes the trust in the hooks of one file. */
export const untrustHooks = (config: string, file: string): string => {
  const prefix = tableOf(`${file}:`).slice(0, -2)
  return withoutTables(config, (line) => line.startsWith(prefix))
}

/** A table extends from its heading to the next one; the empty line before it was added with it. */
const withoutTables = (config: string, isTaken: (heading: string) => boolean): string => {
  const kept: string[] = []
  let taking = false
  for (const line of config.split('\n')) {
    if (TABLE.test(line)) {
      taking = isTaken(line.trim())
      if (taking && kept.at(-1) === '') kept.pop()
    }
    if (!taking) kept.push(line)
  }
  const text = kept.join('\n')
  return text === '' || text.endsWith('\n') || !config.endsWith('\n') ? text : `${text}\n`
}
