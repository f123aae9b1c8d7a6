import { type Finding, fine } from '@steward/assistants'
import {
  destinationsOf,
  type FlowRunSummary,
  type FlowState,
  flowState,
  sourcesOf,
} from '@steward/contract'
import { secretsOfDestination, secretsOfSource } from '@steward/engine'
import { readStateFile } from '@steward/platform'
import { type LocalRuntime, listCatalog, readFlowTimes } from '@steward/runner'

const MANY = 1000

export const checkHistory = ({ history, home }: LocalRuntime): Finding => {
  const runs = history.list({ limit: 1 })
  const latest = runs[0]
  const last = latest === undefined ? 'no runs yet' : `last run ${latest.name} ${latest.status}`
  return fine('history', `${home.historyDatabase} opens; ${last}`)
}

export const checkInterrupted = ({ history }: LocalRuntime, command: string): Finding => {
  const runs = history.list({ status: 'interrupted', parentId: null, limit: MANY })
  if (runs.length === 0) return fine('interrupted runs', 'none')
  const names = [...new Set(runs.map(({ name }) => name))].join(', ')
  return {
    check: 'interrupted runs',
    status: 'warn',
    message: `${runs.length}: ${names}. Their process died; their finished steps are kept.`,
    repair: `${command} runs resume`,
  }
}

/** A finding for each definition that does not load. */
export const checkDefinitions = async ({ catalog }: LocalRuntime): Promise<Finding[]> => {
  const { actions, pipelines, flows, errors } = await listCatalog(catalog)
  const all = [...actions, ...pipelines, ...flows]
  const broken = all.flatMap(({ name, path, error }) =>
    error === undefined ? [] : [{ message: `${name}: ${error}`, repair: `correct ${path}` }],
  )
  const unreadable = errors.map((message) => ({ message, repair: 'correct the file' }))
  const findings = [...broken, ...unreadable].map(
    (problem): Finding => ({ check: 'definitions', status: 'fail', ...problem }),
  )
  if (findings.length > 0) return findings
  const counts = `${actions.length} actions, ${pipelines.length} pipelines, ${flows.length} flows`
  return [fine('definitions', `${counts} load`)]
}

/** A finding for each flow whose last run failed, with its reason. */
export const checkFlows = async ({ home }: LocalRuntime, command: string): Promise<Finding[]> => {
  const initial: FlowState = { version: 1, updatedAt: new Date(0).toISOString(), flows: {} }
  const state = await readStateFile(home.flowState, flowState, initial)
  if (!state.ok) {
    const repair = `move ${home.flowState} away; the next run of a flow writes a new one`
    return [{ check: 'flows', status: 'fail', message: state.error.message, repair }]
  }
  const failing = Object.values(state.value.flows).filter(
    ({ lastRun }) => lastRun.outcome === 'failed' || lastRun.outcome === 'partial',
  )
  if (failing.length === 0) return [fine('flows', 'no flow failed in its last run')]
  return failing.map(({ name, lastRun, consecutiveFailures, blocked }) =>
    blocked === null
      ? {
          check: 'flows',
          status: lastRun.outcome === 'failed' ? 'fail' : 'warn',
          message: `${name}: ${lastRun.reason}${timesInARow(consecutiveFailures)}`,
          repair: `${command} ${hasItems(lastRun.items) ? `flows items ${name}` : `runs show ${lastRun.runId}`}`,
        }
      : {
          check: 'flows',
          status: 'fail',
          message: `${name} is blocked since ${blocked.since}: ${blocked.reason}`,
          repair: `correct the configuration; the next run continues: ${command} trigger ${name}`,
        },
  )
}

/** A finding for each secret that the user's flows name and that is not set. */
export const checkFlowSecrets = ({ catalog, environment, home }: LocalRuntime): Finding[] =>
  catalog.flows.all().flatMap(({ flow, origin }) => {
    if (origin !== 'user' || !flow.schedule.enabled) return []
    const names = new Set([
      ...sourcesOf(flow).flatMap(secretsOfSource),
      ...destinationsOf(flow).flatMap(secretsOfDestination),
    ])
    return [...names].flatMap((name): Finding[] =>
      environment[name]
        ? []
        : [
            {
              check: 'flows',
              status: 'warn',
              message: `${flow.name} needs the secret ${name}, which is not set`,
              repair: `add ${name}=… to ${home.envFile}`,
            },
          ],
    )
  })

/** Flows that this machine starts on schedule: their next and last run, and whether it can. */
export const checkSchedules = async (
  steward: LocalRuntime,
  { isDaemonRunning, nowMs, command }: { isDaemonRunning: boolean; nowMs: number; command: string },
): Promise<Finding> => {
  const times = [...(await readFlowTimes(steward, nowMs))].filter(([, { next }]) => next !== null)
  if (times.length === 0) return fine('schedules', 'no flow is scheduled on this machine')
  const described = times.map(([name, { next, last }]) => {
    const ended = last === null ? 'never ran' : `last ${last.outcome} at ${last.startedAt}`
    return `${name} next ${next}, ${ended}`
  })
  if (isDaemonRunning) return fine('schedules', described.join('; '))
  return {
    check: 'schedules',
    status: 'warn',
    message: `no daemon runs, so that scheduled flows do not start: ${described.join('; ')}`,
    repair: `${command} service start`,
  }
}

const hasItems = ({ waiting, givenUp, rejected, failed }: FlowRunSummary['items']): boolean =>
  waiting + givenUp + rejected + failed > 0

const timesInARow = (failures: number): string =>
  failures > 1 ? ` (${failures} times in a row)` : ''
