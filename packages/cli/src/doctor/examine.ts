import { reasonOf } from '@steward/contract'
import { createEnvironment, readEnvFile, resolveHome } from '@steward/platform'
import { askHealth } from '../daemon/ask-health.ts'
import type { Io } from '../io.ts'
import { withSteward } from '../setup/open-local.ts'
import { checkDaemon } from './check-daemon.ts'
import { checkFeeds } from './check-feeds.ts'
import { checkEnvFile, checkHome, checkSettings } from './check-home.ts'
import { checkHosts } from './check-hosts.ts'
import { checkModel } from './check-model.ts'
import { checkNode } from './check-node.ts'
import { checkPolicy } from './check-policy.ts'
import { checkDefinitions, checkFlows, checkHistory, checkInterrupted } from './check-runs.ts'
import { checkSandbox } from './check-sandbox.ts'
import type { Finding } from './finding.ts'

const REACH_TIMEOUT_MS = 5000

/** Every check, in the order in which a repair of one helps the next. */
export const examine = async (io: Io, nodeVersion: string): Promise<Finding[]> => {
  const home = resolveHome(io.env, io.homedir)
  const first = [
    checkNode(nodeVersion),
    await checkHome(home),
    await checkSettings(home),
    await checkEnvFile(home),
  ]
  const envFile = await readEnvFile(home.envFile)
  const environment = createEnvironment(io.env, envFile.ok ? envFile.value : {})
  const model = await checkModel(environment, {
    fetch,
    timeout: () => AbortSignal.timeout(REACH_TIMEOUT_MS),
  })
  return [
    ...first,
    model,
    ...(await examineInside(io)),
    ...checkDaemon(await askHealth(io)),
    checkPolicy(home, io.homedir),
    ...(await checkHosts(io)),
  ]
}

const examineInside = async (io: Io): Promise<Finding[]> => {
  try {
    return await withSteward(io, async (steward) => [
      await checkSandbox(steward.settings.execution.shell),
      checkHistory(steward),
      ...(await checkDefinitions(steward)),
      checkInterrupted(steward),
      ...(await checkFlows(steward)),
      await checkFeeds(steward),
    ])
  } catch (thrown) {
    const message = `Steward does not open: ${reasonOf(thrown)}`
    return [{ check: 'local runner', status: 'fail', message, repair: 'see above' }]
  }
}
