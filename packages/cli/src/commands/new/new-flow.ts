import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import {
  flowIndex,
  isJsonObject,
  parseJson,
  StewardError,
  shortName,
  unwrap,
} from '@steward/contract'
import { type Home, readIfPresent, withLock, writeFileAtomically } from '@steward/platform'
import type { Catalog } from '@steward/runner'
import { COMMAND } from '../../setup/command-name.ts'
import { type NewFiles, writeNewFile } from './write-new-files.ts'

const SAMPLE = `# A first text

Steward reads every file in this folder once. Put texts here and run the flow again: only what is
new is worked on. This one is here so that the first run has something to show. It is long enough
to be summarised, labelled and rated, which asks for two hundred characters at least.
`

const LOCK_WAIT_MS = 10_000

/** A flow from a folder of texts, through a pipeline, into a Markdown file; it runs unchanged. */
export const newFlow = async (
  home: Home,
  catalog: Catalog,
  name: string,
  pipeline: string,
): Promise<NewFiles> => {
  catalog.pipelines.load(pipeline)
  const short = shortName(name).slice(2)
  const inbox = join(home.user.flows, short)
  const file = join(home.user.flows, 'flow-index.json')
  const entry = {
    id: `flow-${short}`,
    name,
    source: { type: 'file', path: short, format: 'text' },
    pipeline,
    destination: { type: 'file', path: `${short}.md`, format: 'markdown' },
    schedule: { every: '1h', runsOn: 'here', enabled: true },
  }
  const addEntry = async () => {
    const index = await readIndex(file)
    checkFree(index.flows, name, file)
    const next = { ...index, flows: [...index.flows, entry] }
    const checked = flowIndex.safeParse(next)
    if (!checked.success) {
      const reason = 'it has mistakes; `steward list` names them'
      throw new StewardError('invalid_definition', { file, reason }, checked.error)
    }
    await mkdir(inbox, { recursive: true })
    await writeFileAtomically(file, `${JSON.stringify(next, null, 2)}\n`)
  }
  await withLock(join(home.databases, 'locks', 'flow-index'), addEntry, { waitMs: LOCK_WAIT_MS })
  await writeNewFile(join(inbox, 'first.md'), SAMPLE)
  return {
    paths: [file, join(inbox, 'first.md')],
    next: [`${COMMAND} trigger ${name}`, `cat ${join(home.output, `${short}.md`)}`, `edit ${file}`],
  }
}

const readIndex = async (file: string): Promise<{ flows: unknown[] } & Record<string, unknown>> => {
  const text = await readIfPresent(file)
  if (text === undefined) return { $schema: '../../schemas/flow-index.schema.json', flows: [] }
  const parsed = unwrap(parseJson(text, file))
  if (isJsonObject(parsed) && Array.isArray(parsed.flows)) {
    return { ...parsed, flows: parsed.flows }
  }
  throw new StewardError('invalid_definition', { file, reason: 'flows: is required (an array)' })
}

const checkFree = (flows: readonly unknown[], name: string, file: string): void => {
  if (!flows.some((flow) => isJsonObject(flow) && flow.name === name)) return
  const reason = `already contains ${name}; nothing is overwritten, so choose another name`
  throw new StewardError('invalid_input', { subject: file, reason })
}
