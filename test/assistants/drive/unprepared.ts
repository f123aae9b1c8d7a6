import { ASSISTANTS } from '@steward/assistants'
import { type Machine, until } from '../machine.ts'
import { getDriven } from './record.ts'
import { start } from './session.ts'
import type { Scene, Stage } from './stage.ts'

/** Why a session could not do its task: the error of the start, or the reason of its end. */
const failureOf = async (stage: Stage, machine: Machine): Promise<string> => {
  try {
    await machine.startDaemon()
    const { id } = await start({ ...stage, machine }, 'say hello')
    const { state, reason, answer } = await until('the turn ends', async () => {
      const session = await getDriven(machine, id)
      return session.state !== 'working' && session.state !== 'starting' && session
    })
    return `${state}: ${reason ?? answer}`
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown)
  } finally {
    await machine.killDaemon('SIGTERM')
    await machine.close()
  }
}

/** The errors say what is missing and how to get it. */
export const unprepared: Scene = {
  name: 'neither installed nor signed in',
  play: async (stage) => {
    const { assistant, needsNoLogin } = stage.subject
    const spec = await ASSISTANTS[assistant].loadDrive?.()
    if (spec === undefined) throw new Error('it cannot be driven')
    const missing = await failureOf(stage, await stage.createBare(false))
    const { program } = spec
    const remedy = program.kind === 'adapter' ? program.package : spec.install
    if (!missing.includes(remedy)) throw new Error(`not installed: ${missing}`)
    const signedOut = await failureOf(stage, await stage.createBare(true))
    if (!needsNoLogin && !signedOut.includes(spec.signIn))
      throw new Error(`not signed in: ${signedOut}`)
    if (needsNoLogin && !/failed/.test(signedOut)) throw new Error(`without a login: ${signedOut}`)
  },
}
