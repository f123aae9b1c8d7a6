import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import {
  flowIndex,
  isJsonObject,
  type JsonObject,
  parseJson,
  StewardError,
  unwrap,
} from '@steward/contract'
import { type Home, readIfPresent, withLock, writeFileAtomically } from '@steward/platform'
import { formatJson } from './format-json.ts'

type NamedEntry = JsonObject & { name: string }

const LOCK_WAIT_MS = 10_000

/** Adds a flow to the person's registry after `prepare`; returns the file. */
export const addFlow = (
  home: Home,
  entry: NamedEntry,
  prepare: () => Promise<void> = async () => undefined,
): Promise<string> =>
  changeRegistry(home, prepare, (flows, file) => {
    if (flows.some((flow) => isNamed(flow, entry.name))) {
      const reason = `already contains ${entry.name}; nothing is overwritten, so choose another name`
      throw new StewardError('invalid_input', { subject: file, reason })
    }
    return [...flows, entry]
  })

/** Replaces a flow of the person's registry, or adds it as an override of a built-in one. */
export const replaceFlow = (home: Home, entry: NamedEntry): Promise<string> =>
  changeRegistry(
    home,
    async () => undefined,
    (flows) =>
      flows.some((flow) => isNamed(flow, entry.name))
        ? flows.map((flow) => (isNamed(flow, entry.name) ? entry : flow))
        : [...flows, entry],
  )

const changeRegistry = async (
  home: Home,
  prepare: () => Promise<void>,
  change: (flows: readonly unknown[], file: string) => unknown[],
): Promise<string> => {
  const file = join(home.user.flows, 'flow-index.json')
  const write = async (): Promise<void> => {
    const index = await readIndex(file)
    const next = { ...index, flows: change(index.flows, file) }
    const checked = flowIndex.safeParse(next)
    if (!checked.success) {
      const reason = 'it has mistakes; `steward list` names them'
      throw new StewardError('invalid_definition', { file, reason }, checked.error)
    }
    await mkdir(home.user.flows, { recursive: true })
    await prepare()
    await writeFileAtomically(file, formatJson(next))
  }
  await withLock(join(home.databases, 'locks', 'flow-index'), write, { waitMs: LOCK_WAIT_MS })
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

const isNamed = (flow: unknown, name: string): boolean => isJsonObject(flow) && flow.name === name
