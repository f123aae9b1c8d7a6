import { dirname } from 'node:path'
import { checkHosts, type Finding } from '@steward/assistants'
import { settings as settingsShape, toStewardError } from '@steward/contract'
import { createEnvironment, readEnvFile, readSettings, resolveHome } from '@steward/platform'
import { openLocalRuntime } from '@steward/runner'
import { askHealth } from '../service/ask-health.ts'
import { checkBackup } from './check-backup.ts'
import { checkDaemon } from './check-daemon.ts'
import { checkEdge } from './check-edge.ts'
import { checkFeeds } from './check-feeds.ts'
import { checkEnvFile, checkHome, checkSettings } from './check-home.ts'
import { checkModel } from './check-model.ts'
import { checkNode } from './check-node.ts'
import { checkPolicy } from './check-policy.ts'
import {
  checkDefinitions,
  checkFlowSecrets,
  checkFlows,
  checkHistory,
  checkInterrupted,
  checkSchedules,
} from './check-runs.ts'
import { checkSandbox } from './check-sandbox.ts'
import { checkDisk, checkStores, checkToken } from './check-storage.ts'

/** What the checks of `steward doctor` need. */
export interface DoctorPorts {
  env: Readonly<Record<string, string | undefined>>
  homedir: string
  /** The command that starts this program, for advice. */
  command: string
  /** The actions, pipelines and flows that ship with Steward. */
  library: string
  /** The version of the Node that runs this. */
  nodeVersion: string
}

const REACH_TIMEOUT_MS = 5000

/** Runs all checks, ordered so that a repair helps the checks after it. */
export const runChecks = async (ports: DoctorPorts): Promise<Finding[]> => {
  const { env, homedir, command, library, nodeVersion } = ports
  const home = resolveHome(env, homedir)
  const read = await readSettings(home)
  const { backup, storage } = read.ok ? read.value : settingsShape.parse({})
  const first = [
    checkNode(nodeVersion),
    await checkHome(home),
    await checkSettings(home),
    await checkEnvFile(home),
    await checkToken(home),
    checkDisk(home, storage.warnBelowMb),
    ...(await checkStores(home)),
  ]
  const envFile = await readEnvFile(home.envFile)
  const environment = createEnvironment(env, envFile.ok ? envFile.value : {})
  const model = await checkModel(environment, {
    fetch,
    timeout: () => AbortSignal.timeout(REACH_TIMEOUT_MS),
  })
  const health = await askHealth(home)
  return [
    ...first,
    await checkBackup(home, backup, Date.now(), command),
    model,
    ...(await checkRunner(ports, 'health' in health)),
    checkEdge(dirname(library), env, homedir, command),
    ...checkDaemon(health, command),
    checkPolicy(home, homedir, command),
    ...(await checkHosts({ env, homedir, command, installation: dirname(library) })),
  ]
}

const checkRunner = async (
  { env, homedir, command, library }: DoctorPorts,
  isDaemonRunning: boolean,
): Promise<Finding[]> => {
  try {
    const steward = await openLocalRuntime({ env, homedir, builtIn: library })
    try {
      return [
        await checkSandbox(steward.settings.execution.shell),
        checkHistory(steward),
        ...(await checkDefinitions(steward)),
        checkInterrupted(steward, command),
        ...(await checkFlows(steward, command)),
        ...checkFlowSecrets(steward),
        await checkSchedules(steward, { isDaemonRunning, nowMs: Date.now(), command }),
        await checkFeeds(steward, command),
      ]
    } finally {
      await steward.close()
    }
  } catch (thrown) {
    const { message, remedy } = toStewardError(thrown)
    const described = `Steward does not open: ${message}`
    return [{ check: 'local runner', status: 'fail', message: described, repair: remedy }]
  }
}
