import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const LAUNCHER = join(import.meta.dirname, '../../packages/cli/bin/steward.mjs')
export const TOKEN = 'token-of-the-bench'

/** The input of every run. */
export const ITEM = { content: 'A storm came in from the west that night. ', page: 4 }

/** The environment of our program on the bench's data home. */
export const environmentOf = (root: string) => ({
  PATH: process.env.PATH,
  HOME: root,
  STEWARD_HOME: join(root, 'home'),
  LLM_PROVIDER: 'offline',
  AUTH_TOKEN: TOKEN,
})

/** Which workers record their runs. */
export const writeHistorySetting = (root: string, history: 'flows' | 'pipelines'): void =>
  writeFileSync(join(root, 'home/settings.json'), JSON.stringify({ edge: { history } }))

/** Our side: three actions, a pipeline of them, and a flow. */
export const writeDefinitions = (root: string): void => {
  const write = (path: string, text: string) => {
    const file = join(root, 'home/USER', path)
    mkdirSync(join(file, '..'), { recursive: true })
    writeFileSync(file, text)
  }
  const names = ['A_COUNT_WORDS', 'A_MARK_LONG', 'A_MARK_SHORT']
  for (const [index, name] of names.entries()) {
    const manifest = { name, description: name, input: {}, output: {}, requires: [] }
    write(`ACTIONS/${name}/action.json`, JSON.stringify(manifest))
    write(`ACTIONS/${name}/action.mjs`, `export const execute = async () => ({ own${index}: 1 })\n`)
  }
  const actions = names.map((name) => `  - ${name}\n`).join('')
  write(
    'PIPELINES/P_COUNT_AND_MARK.yaml',
    `name: P_COUNT_AND_MARK\ndescription: d\nactions:\n${actions}`,
  )
  write('FLOWS/items.json', JSON.stringify([{ id: 'one', ...ITEM }]))
  const flow = {
    id: 'flow-file-count',
    name: 'F_FILE_COUNT',
    source: { type: 'file', path: 'items.json' },
    pipeline: 'P_COUNT_AND_MARK',
    destination: { type: 'file', path: 'out.jsonl' },
    schedule: { intervalMinutes: 60, enabled: true },
  }
  write('FLOWS/flow-index.json', JSON.stringify({ flows: [flow] }))
  writeHistorySetting(root, 'flows')
}
