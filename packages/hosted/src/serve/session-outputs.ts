import { join } from 'node:path'
import type { SessionOutput } from '../api/ports.ts'
import { listOutputs, openOutput } from '../hands/mounts/list-outputs.ts'
import { locateSession } from '../hands/sandbox/place.ts'

/** What a session has left under `/mnt/session/outputs`. */
export const listSessionOutputs = async (
  home: string,
  sessionId: string,
): Promise<SessionOutput[]> => {
  const folder = join(locateSession(home, sessionId), 'outputs')
  return (await listOutputs(folder)).map(({ path, sizeBytes, modifiedAtMs }) => ({
    path,
    sizeBytes,
    modifiedMs: modifiedAtMs,
    read: async () => {
      const file = await openOutput(folder, path)
      try {
        return await file.readFile()
      } finally {
        await file.close()
      }
    },
  }))
}
