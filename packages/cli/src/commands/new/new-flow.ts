import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import {
  flowIndex,
  isJsonObject,
  type JsonObject,
  parseJson,
  StewardError,
  shortName,
  unwrap,
} from '@steward/contract'
import { type Home, readIfPresent, withLock, writeFileAtomically } from '@steward/platform'
import type { Catalog } from '@steward/runner'
import { COMMAND } from '../../setup/command-name.ts'
import type { StoredTemplate } from './flow-templates.ts'
import { formatJson, oneLine } from './format-json.ts'
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
  const file = await addEntry(home, {
    id: `flow-${short}`,
    name,
    source: { type: 'file', path: short, format: 'text' },
    pipeline,
    destination: { type: 'file', path: `${short}.md`, format: 'markdown' },
    schedule: { every: '1h', runsOn: 'here', enabled: true },
  })
  await mkdir(inbox, { recursive: true })
  await writeNewFile(join(inbox, 'first.md'), SAMPLE)
  return {
    paths: [file, join(inbox, 'first.md')],
    next: [`${COMMAND} trigger ${name}`, `cat ${join(home.output, `${short}.md`)}`, `edit ${file}`],
  }
}

/** The flow's name if the person gives none: `F_MORNING_PAPER` of `morning-paper`. */
export const nameOfTemplate = (template: string): string =>
  `F_${template.replaceAll('-', '_').toUpperCase()}`

/**
 * A flow out of a template, with its pipeline and sample data, which it works on until the person
 * names their own. Files that another flow of the same template brought are kept as they are.
 */
export const newFlowFrom = async (
  home: Home,
  template: StoredTemplate,
  name: string,
): Promise<NewFiles> => {
  const { description, flow, edit } = template
  const written: string[] = []
  const writeOnce = async (path: string, text: string): Promise<void> => {
    if ((await readIfPresent(path)) !== undefined) return
    await writeNewFile(path, text)
    written.push(path)
  }
  const id = `flow-${shortName(name).slice(2)}`
  const file = await addEntry(home, { id, name, description, ...flow }, async () => {
    if (template.pipeline !== undefined) {
      const pipeline = `P_${nameOfTemplate(template.name).slice(2)}.yaml`
      await writeOnce(join(home.user.pipelines, pipeline), template.pipeline)
    }
    for (const [sample, text] of Object.entries(template.samples)) {
      await writeOnce(join(home.user.flows, template.name, sample), text)
    }
  })
  return {
    paths: [file, ...written],
    next: [
      `${COMMAND} trigger ${name}`,
      ...edit.map(
        ({ field, example, why }) => `edit ${field} in ${file} ${why}: ${oneLine(example)}`,
      ),
    ],
  }
}

/** Adds a flow to the person's registry after `prepare`; returns the file. */
const addEntry = async (
  home: Home,
  entry: JsonObject & { name: string },
  prepare: () => Promise<void> = async () => undefined,
): Promise<string> => {
  const file = join(home.user.flows, 'flow-index.json')
  const add = async (): Promise<void> => {
    const index = await readIndex(file)
    checkFree(index.flows, entry.name, file)
    const next = { ...index, flows: [...index.flows, entry] }
    const checked = flowIndex.safeParse(next)
    if (!checked.success) {
      const reason = 'it has mistakes; `steward list` names them'
      throw new StewardError('invalid_definition', { file, reason }, checked.error)
    }
    await mkdir(home.user.flows, { recursive: true })
    await prepare()
    await writeFileAtomically(file, formatJson(next))
  }
  await withLock(join(home.databases, 'locks', 'flow-index'), add, { waitMs: LOCK_WAIT_MS })
  return file
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
