import { join } from 'node:path'
import { isJsonObject, type JsonObject, ok, type Result, type Schema } from '@steward/contract'
import { z } from 'zod'
import { readStateFile, updateStateFile } from '../files/state-file.ts'
import type { Home } from '../home/home.ts'

/** `session-names.json` beside `work.json`: the name of each host session. */
export const sessionNamesPath = (home: Pick<Home, 'stateDir'>): string =>
  join(home.stateDir, 'session-names.json')

/** The names of all host sessions. */
export const readSessionNames = (home: Pick<Home, 'stateDir'>): Promise<Result<JsonObject>> =>
  readStateFile(sessionNamesPath(home), namesFile, {})

export const readSessionName = async (
  home: Pick<Home, 'stateDir'>,
  sessionUUID: string,
): Promise<Result<string | undefined>> => {
  const names = await readSessionNames(home)
  if (!names.ok) return names
  const name = Object.hasOwn(names.value, sessionUUID) ? names.value[sessionUUID] : undefined
  return ok(typeof name === 'string' ? name : undefined)
}

export const writeSessionName = async (
  home: Pick<Home, 'stateDir'>,
  sessionUUID: string,
  name: string,
): Promise<Result<JsonObject>> =>
  updateStateFile(
    sessionNamesPath(home),
    namesFile,
    {},
    (names) =>
      Object.hasOwn(names, sessionUUID) && names[sessionUUID] === name
        ? names
        : { ...names, [sessionUUID]: name },
    { isForeign: true },
  )

const namesFile: Schema<JsonObject> = z.custom<JsonObject>(
  isJsonObject,
  'expected {"<session>": "<name>"}',
)
