import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isJsonObject, parseJson, StewardError } from '@steward/contract'
import { takeVersionOf, withVersion } from '../files/file-version.ts'
import { writeFileAtomically } from '../files/write-file-atomically.ts'
import type { Home } from '../home/home.ts'
import type { SecurityFile } from './security-texts.ts'

/** The text of a file before a change, for undo. */
export interface KeptChange {
  file: SecurityFile
  /** Null if there was no file. */
  before: string | null
  /** The revision after the change. */
  after: string
  /** The change that this one reverted. */
  undoes?: string
}

type UserHome = Pick<Home, 'user'>

const KEPT_CHANGES = 50
const NAME = /^(?<number>\d{6,})-[0-9a-f]{8}$/

/** Beside the files themselves, where no assistant may write. */
const folderOf = ({ user }: UserHome): string => join(user.security, '.undo')
const pathOf = (home: UserHome, id: string): string => join(folderOf(home), `${id}.json`)

const listIds = async (home: UserHome): Promise<string[]> => {
  await mkdir(folderOf(home), { recursive: true, mode: 0o700 })
  return (await readdir(folderOf(home)))
    .flatMap((name) => (name.endsWith('.json') ? [name.slice(0, -'.json'.length)] : []))
    .filter((id) => NAME.test(id))
    .toSorted((a, b) => numberOf(a) - numberOf(b))
}

const numberOf = (id: string): number => Number(NAME.exec(id)?.groups?.number ?? 0)

/** Returns the id of the change. Only the latest ones are kept. */
export const keepChange = async (home: UserHome, change: KeptChange): Promise<string> => {
  const ids = await listIds(home)
  const number = String(numberOf(ids.at(-1) ?? '') + 1).padStart(6, '0')
  const id = `${number}-${randomBytes(4).toString('hex')}`
  await writeFileAtomically(pathOf(home, id), `${JSON.stringify(withVersion(change), null, 2)}\n`)
  for (const old of ids.slice(0, 1 - KEPT_CHANGES)) await rm(pathOf(home, old))
  return id
}

/** The last change that was not reverted yet, so that repeated undo goes back step by step. */
export const lastSecurityChange = async (home: UserHome): Promise<string | undefined> => {
  const undone = new Set<string>()
  for (const id of (await listIds(home)).toReversed()) {
    if (undone.has(id)) continue
    const { undoes } = await readChange(home, id)
    if (undoes === undefined) return id
    undone.add(undoes)
  }
  return undefined
}

export const readChange = async (home: UserHome, id: string): Promise<KeptChange> => {
  if (!(await listIds(home)).includes(id)) {
    throw new StewardError('not_found', { what: 'change of the policy', name: id })
  }
  const path = pathOf(home, id)
  const json = parseJson(await readFile(path, 'utf8'), path)
  const { file, before, after, undoes } =
    json.ok && isJsonObject(json.value) ? takeVersionOf(json.value, path) : {}
  if (
    (file === 'policy' || file === 'rules') &&
    (typeof before === 'string' || before === null) &&
    typeof after === 'string'
  ) {
    return { file, before, after, ...(typeof undoes === 'string' ? { undoes } : {}) }
  }
  throw new StewardError('storage_failed', { path, reason: 'it is not a stored change' })
}
