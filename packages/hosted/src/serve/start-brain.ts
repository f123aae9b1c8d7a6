import { setTimeout as sleep } from 'node:timers/promises'
import { StewardError, toStewardError } from '@steward/contract'
import type { ProviderChoice } from '@steward/models'
import type { BrainFile } from '../brain/brain.ts'
import { createBrain } from '../brain/create-brain.ts'
import { createHostedModel } from '../brain/models/create-hosted-model.ts'
import { isDeadOwner, nameBrain } from './brain-owner.ts'
import { freeDeadLeases } from './free-dead-leases.ts'
import { openHandsSession } from './open-hands-session.ts'
import { openMcp } from './open-mcp.ts'
import type { Parts } from './parts.ts'
import { readWholeFile } from './read-whole-file.ts'
import { repeat, setTimer } from './timers.ts'

/** How soon the sessions of a brain that was killed beside this one go on. */
const LOOK_FOR_DEAD_MS = 500

/** How long each session may take to come to its next step when the server ends. */
const DRAIN_MS = 5000

/** Runs sessions; the answer ends it. */
export const startBrain = async (
  parts: Parts,
  choice: ProviderChoice,
): Promise<() => Promise<void>> => {
  const { options, database, hands, seal } = parts
  const read = (fileId: string): Promise<BrainFile> => readWholeFile(parts, fileId, Date.now())
  const readUpload = async (fileId: string): Promise<Uint8Array> => (await read(fileId)).bytes
  const model = createHostedModel(choice, {
    fetch,
    sleep: async (ms) => sleep(ms),
    now: () => new Date(),
  })
  const brain = createBrain(
    {
      database,
      hands,
      model,
      connectMcp: openMcp(parts),
      openHands: (sessionId) => openHandsSession({ database, seal, readUpload }, sessionId),
      readFile: (fileId) => read(fileId).catch(nothingIfGone),
      now: Date.now,
      timer: setTimer,
      report: options.report,
    },
    { owner: nameBrain(), sessions: options.settings.sessions },
  )
  await freeDeadLeases(database, isDeadOwner)
  const stopLooking = repeat(LOOK_FOR_DEAD_MS, () => {
    freeDeadLeases(database, isDeadOwner).catch((thrown: unknown) =>
      options.report(toStewardError(thrown), 'leases of dead brains'),
    )
  })
  brain.start()
  return async () => {
    stopLooking()
    const patience = new Promise<void>((resolve) => setTimer(DRAIN_MS, resolve))
    await Promise.race([brain.close('drain'), patience])
    await brain.close('abandon')
  }
}

const nothingIfGone = (thrown: unknown): undefined => {
  if (thrown instanceof StewardError && thrown.status === 404) return undefined
  throw thrown
}
