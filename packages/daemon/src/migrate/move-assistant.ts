import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  diaryFields,
  formatFrontMatter,
  identityFields,
  isJsonObject,
  type JsonObject,
  opinion,
  parseJson,
  personalityFile,
  reasonOf,
} from '@steward/contract'
import { parseYamlDocument } from '@steward/contract/yaml'
import { stringify } from 'yaml'
import type { MovePlan, MoveWrite } from './move.ts'

const PART = 'assistant'
const IDENTITIES = ['DA_IDENTITY.yaml', 'identity.yaml']
/** The folder of version 5, and of version 7. */
const FOLDERS = ['DA', 'DIGITAL_ASSISTANT']

/** Takes over the primary assistant: identity, personality, opinions, diary and picture. */
export const moveAssistant = (
  user: string | undefined,
  principal: string | undefined,
): MovePlan & { folders: string[] } => {
  const folders = FOLDERS.filter((name) => user !== undefined && isFolder(join(user, name)))
  const plan: MovePlan = { items: [], writes: [] }
  const folder = folders.findLast((name) => hasAssistant(join(user ?? '', name))) ?? folders.at(-1)
  if (user === undefined || folder === undefined) return { ...plan, folders: [] }
  for (const other of folders.filter((name) => name !== folder)) {
    const note = `the assistant of USER/${folder} is taken over`
    plan.items.push({ part: PART, from: `USER/${other}`, outcome: 'left', note })
  }
  const root = join(user, folder)
  const ids = readdirSync(root).filter((name) => !/^[._]/.test(name) && isFolder(join(root, name)))
  const primary = ids.length === 0 ? '' : (primaryOf(root, ids) ?? ids[0] ?? '')
  for (const id of ids.filter((each) => each !== primary)) {
    const note = `Steward has one assistant; ${primary} is the primary one`
    plan.items.push({ part: PART, from: `USER/${folder}/${id}`, outcome: 'left', note })
  }
  const at = (name: string) => join(root, primary, name)
  const from = (name: string) => ['USER', folder, primary, name].filter(Boolean).join('/')
  for (const name of readdirSync(join(root, primary)).toSorted()) {
    if (isFolder(at(name))) {
      if (primary !== '') plan.items.push({ part: PART, from: from(name), outcome: 'left' })
      continue
    }
    const move = MOVES[name]
    try {
      if (move === undefined) {
        const note = name.endsWith('.md')
          ? 'it is generated from the identity'
          : 'not used by Steward'
        plan.items.push({ part: PART, from: from(name), outcome: 'left', note })
        continue
      }
      const { writes, note } = move(readFileSync(at(name)), principal)
      const [first] = writes
      plan.writes.push(...writes)
      plan.items.push({
        part: PART,
        from: from(name),
        ...(first === undefined
          ? {}
          : { to: first.to.includes('/diary/') ? folderOf(first.to) : first.to }),
        outcome: first === undefined ? 'left' : 'converted',
        ...(note === undefined ? {} : { note }),
      })
    } catch (thrown) {
      plan.items.push({ part: PART, from: from(name), outcome: 'left', note: reasonOf(thrown) })
    }
  }
  return { ...plan, folders: folders.map((name) => `${name}/`) }
}

/** A newer version leaves the folder of the older one behind, with parts of it or empty. */
const hasAssistant = (folder: string): boolean =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).some(({ name }) =>
    IDENTITIES.includes(name),
  )

type Move = (bytes: Buffer, principal: string | undefined) => { writes: MoveWrite[]; note?: string }

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1)

const readYaml = (bytes: Buffer): JsonObject => {
  const document = parseYamlDocument(bytes.toString('utf8'))
  const [error] = document.errors
  if (error !== undefined) throw new Error(`it is not YAML: ${error.message.split('\n')[0]}`)
  const value: unknown = document.toJS({ maxAliasCount: 0 })
  if (!isJsonObject(value)) throw new Error('it is not a list of fields')
  return value
}

const primaryOf = (root: string, ids: readonly string[]): string | undefined => {
  const file = ['_registry.yaml', 'registry.yaml'].map((name) => join(root, name)).find(isFile)
  if (file === undefined) return undefined
  try {
    const primary = readYaml(readFileSync(file)).primary
    return typeof primary === 'string' && ids.includes(primary) ? primary : undefined
  } catch {
    // The first assistant is taken instead; the report names it.
    return undefined
  }
}

const part = (value: unknown): JsonObject => (isJsonObject(value) ? value : {})

const moveIdentity: Move = (bytes, principal) => {
  const whole = readYaml(bytes)
  const core = isJsonObject(whole.core) ? whole.core : whole
  const dropped: string[] = []
  const fields: Record<string, string> = {}
  for (const name of ['name', 'full_name', 'display_name', 'color', 'role'] as const) {
    const value = core[name]
    if (typeof value !== 'string' || value.trim() === '') continue
    if (identityFields.safeParse({ [name]: value }).success) fields[name] = value.trim()
    else dropped.push(name)
  }
  if (principal !== undefined) fields.principal = principal
  const story = typeof core.origin_story === 'string' ? core.origin_story.trim() : ''
  const { personality, companion, relationship, autonomy, writing, voice } = whole
  const given = {
    ...part(personality),
    ...Object.fromEntries(
      Object.entries({ companion, relationship, autonomy, writing }).filter(([, value]) =>
        isJsonObject(value),
      ),
    ),
    ...(typeof part(voice).provider === 'string'
      ? { voice: { provider: part(voice).provider } }
      : {}),
  }
  const kept: JsonObject = {}
  for (const [key, value] of Object.entries(given)) {
    if (personalityFile.safeParse({ [key]: value }).success) kept[key] = value
    else dropped.push(`personality.${key}`)
  }
  const identity = `---\n${formatFrontMatter(fields)}---\n\n${story}\n`
  return {
    writes: [
      { to: 'USER/ASSISTANT/identity.md', content: identity },
      { to: 'USER/ASSISTANT/personality.yaml', content: stringify(kept) },
    ],
    ...(dropped.length === 0 ? {} : { note: `left out because invalid: ${dropped.join(', ')}` }),
  }
}

const moveOpinions: Move = (bytes) => {
  const text = bytes.toString('utf8')
  if (text.trim() === '') return { writes: [], note: 'it is empty' }
  const value: unknown = parseYamlDocument(text).toJS({ maxAliasCount: 0 })
  const list: unknown = isJsonObject(value) ? value.opinions : value
  const rows: unknown[] = Array.isArray(list) ? list : []
  const taken = new Map<string, unknown>()
  let dropped = 0
  for (const row of rows) {
    const from = part(row)
    const topic = String(from.topic ?? '').trim()
    const id = slugOf(topic)
    const evidence = Number(from.evidence_count ?? 0)
    const confidence = Number(from.confidence ?? 0.5)
    const count =
      Number.isFinite(evidence) && evidence > 0 ? Math.min(1000, Math.round(evidence)) : 1
    // The counts that give about the same confidence here.
    const supporting = Math.min(count, Math.max(0, Math.round(confidence * (count + 2) - 1)))
    const parsed = opinion.safeParse({
      id,
      topic,
      position: String(from.position ?? ''),
      for: supporting,
      against: count - supporting,
      source: typeof from.source === 'string' ? from.source.slice(0, 200) : 'imported',
      ...textFields(from, ['first_observed', 'last_confirmed']),
    })
    if (parsed.success && !taken.has(id)) taken.set(id, parsed.data)
    else dropped++
  }
  return {
    writes:
      taken.size === 0
        ? []
        : [
            {
              to: 'USER/ASSISTANT/opinions.yaml',
              content: stringify({ opinions: [...taken.values()] }),
            },
          ],
    note: `${countOf(taken.size, 'opinion')}${dropped === 0 ? '' : `, ${dropped} without topic or position left out`}`,
  }
}

const countOf = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

const textFields = (from: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(
    names.flatMap((name) => (typeof from[name] === 'string' ? [[name, from[name]]] : [])),
  )

const slugOf = (topic: string): string =>
  topic
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 79)

/** Several rows of a day become one page. */
const moveDiary: Move = (bytes) => {
  const pages = new Map<string, { fields: JsonObject; text: string[] }>()
  let dropped = 0
  for (const line of bytes.toString('utf8').split('\n')) {
    if (line.trim() === '') continue
    const read = parseJson(line, 'diary.jsonl')
    const row = read.ok && isJsonObject(read.value) ? read.value : {}
    const stamp = row.date ?? row.timestamp
    const date = typeof stamp === 'string' ? stamp.slice(0, 10) : ''
    const parsed = diaryFields.safeParse({ ...row, date })
    if (!parsed.success) {
      dropped++
      continue
    }
    const page = pages.get(date) ?? { fields: parsed.data, text: [] }
    const words = [row.reflection, row.summary, row.text].find((each) => typeof each === 'string')
    if (typeof words === 'string') page.text.push(words)
    pages.set(date, page)
  }
  return {
    writes: [...pages].map(([date, { fields, text }]) => ({
      to: `USER/ASSISTANT/diary/${date}.md`,
      content: `---\n${stringify(fields)}---\n\n${text.join('\n\n')}\n`,
    })),
    note: `${countOf(pages.size, 'day')}${dropped === 0 ? '' : `, ${countOf(dropped, 'unreadable line')} left out`}`,
  }
}

const MOVES: Readonly<Record<string, Move>> = {
  'DA_IDENTITY.yaml': moveIdentity,
  'identity.yaml': moveIdentity,
  'opinions.yaml': moveOpinions,
  'diary.jsonl': moveDiary,
  'growth.jsonl': (bytes) => ({
    writes: bytes.length === 0 ? [] : [{ to: 'USER/ASSISTANT/growth.jsonl', content: bytes }],
    note: 'kept with the assistant; Steward does not read it',
  }),
  ...Object.fromEntries(
    ['png', 'jpg', 'jpeg', 'webp', 'svg'].map((ending): [string, Move] => [
      `avatar.${ending}`,
      (bytes) => ({ writes: [{ to: `USER/ASSISTANT/avatar.${ending}`, content: bytes }] }),
    ]),
  ),
}

const isFolder = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
const isFile = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isFile() === true
