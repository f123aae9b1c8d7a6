import { open } from 'node:fs/promises'
import { fail, ok, type Result, StewardError } from '@steward/contract'
import type { Home } from '../home/home.ts'
import { storageErrorOf } from '../storage-error.ts'
import { locateSpecification } from './specification/locate-specification.ts'
import { parseSpecification } from './specification/parse-specification.ts'
import {
  type SpecificationSync,
  type SyncOutcome,
  syncSpecification,
} from './sync-specification.ts'
import { updateWorkState, type WorkStatePorts, type WorkStateUpdate } from './work-state-file.ts'

/** Problems in the file are part of the outcome, so that its writer can fix them. */
export type FileSync = WorkStateUpdate<SyncOutcome & { problems: string[] }>

/** A longer specification is not a text for people. */
const MAX_BYTES = 1024 * 1024

/** Syncs a written file into the work state; undefined if it is not a specification. */
export const syncSpecificationFile = async (
  home: Pick<Home, 'memory' | 'work' | 'workState'>,
  {
    file,
    sessionUUID,
    onlyIfChanged,
  }: { file: string } & Pick<SpecificationSync, 'sessionUUID' | 'onlyIfChanged'>,
  ports: WorkStatePorts,
): Promise<Result<FileSync | undefined>> => {
  const place = locateSpecification(home, file)
  if (place === undefined) return ok(undefined)
  const text = await readText(place.path)
  if (!text.ok) return text
  const specification = parseSpecification(text.value)
  const { folder, stored } = place
  return updateWorkState(
    home,
    (state, nowMs) => {
      const sync = { specification, folder, stored, sessionUUID, onlyIfChanged }
      const { state: next, outcome } = syncSpecification(state, sync, nowMs)
      return { state: next, outcome: { ...outcome, problems: specification.problems } }
    },
    ports,
  )
}

const readText = async (path: string): Promise<Result<string>> => {
  try {
    const handle = await open(path, 'r')
    try {
      const { size } = await handle.stat()
      if (size > MAX_BYTES) {
        const details = { subject: path, bytes: size, limit: MAX_BYTES }
        return fail(new StewardError('payload_too_large', details))
      }
      return ok(await handle.readFile('utf8'))
    } finally {
      await handle.close()
    }
  } catch (thrown) {
    return fail(storageErrorOf(path, thrown, 'it cannot be read'))
  }
}
