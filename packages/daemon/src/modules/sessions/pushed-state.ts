import { join } from 'node:path'
import { fields, isJsonObject, type JsonObject, unwrap } from '@steward/contract'
import { readStateFile, updateStateFile } from '@steward/platform'
import { z } from 'zod'
import type { SessionsPorts } from './ports.ts'

/** The last pushed work state and its time. */
const pushedFile = z.object({ receivedAt: z.string(), document: fields })
export type PushedState = z.infer<typeof pushedFile>

/**
 * Stored on disk before the push is acknowledged, because the other machine does not push again
 * after our restart.
 */
export const createPushedState = ({
  home,
  log,
  now,
  redactor,
}: Pick<SessionsPorts, 'home' | 'log' | 'now' | 'redactor'>) => {
  const path = join(home.stateDir, 'pushed-work-state.json')
  let current: PushedState | undefined

  return {
    load: async (): Promise<void> => {
      const read = await readStateFile<PushedState | undefined>(path, pushedFile, undefined)
      if (read.ok) current = read.value
      else log.error(`the previously pushed work state is lost: ${read.error.message}`)
    },
    accept: async (document: JsonObject): Promise<void> => {
      const next = {
        receivedAt: new Date(now()).toISOString(),
        document: redactor().redactFields(document).value,
      }
      const written = unwrap(await updateStateFile(path, pushedFile, next, () => ({ ...next })))
      current = written
    },
    current: (): PushedState | undefined => current,
    receivedAt: (): string | null => current?.receivedAt ?? null,
  }
}

/** The sessions of a document in any form; only objects are entries. */
export const sessionsIn = (document: JsonObject): Record<string, JsonObject> => {
  const { sessions } = document
  if (!isJsonObject(sessions)) return {}
  return Object.fromEntries(
    Object.entries(sessions).flatMap(([slug, entry]) =>
      isJsonObject(entry) ? [[slug, entry]] : [],
    ),
  )
}
