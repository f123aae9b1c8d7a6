import { randomBytes } from 'node:crypto'
import { setTimeout as sleepFor } from 'node:timers/promises'
import type { ObserverTeamPorts } from '@steward/agents'
import { LIMITS, type ObserverJudge, StewardError, unwrap } from '@steward/contract'
import { chooseProvider, createModelClient, readModelEnvironment } from '@steward/models'
import type { Environment, Redactor } from '@steward/platform'

export interface OpenJudgeOptions {
  /** Undefined: a model if available, else the rules. */
  wanted: ObserverJudge | undefined
  usdPerHour: number | undefined
  environment: Environment
  redactor: Pick<Redactor, 'redactText'>
  signal: AbortSignal
}

export interface OpenedJudge {
  model?: NonNullable<ObserverTeamPorts['model']>
  /** Explains the choice of judge to the person. */
  says: string
}

/**
 * Chooses the judge: the rules alone, or a model in addition. The offline model only extracts and
 * labels, so it never judges.
 */
export const openJudge = async (options: OpenJudgeOptions): Promise<OpenedJudge> => {
  const { wanted, usdPerHour, environment, redactor, signal } = options
  if (wanted === 'rules') return { says: 'the rules judge (--judge rules)' }
  const choice = unwrap(await chooseProvider(unwrap(readModelEnvironment(environment)), { fetch }))
  if (choice.provider === 'offline') {
    if (wanted === undefined) return { says: `the rules judge: ${choice.reason}` }
    const reason = `--judge model needs one that can judge: ${choice.reason}`
    throw new StewardError('not_configured', { subject: 'the model of the observers', reason })
  }
  const client = createModelClient({
    choice,
    fetch,
    sleep: (delayMs, abort) => sleepFor(delayMs, undefined, { signal: abort }),
    now: () => new Date(),
    redact: (text) => redactor.redactText(text).value,
  })
  return {
    model: {
      ask: (prompt, call) => {
        const late = AbortSignal.timeout(LIMITS.observerVoteMs)
        return client.call(prompt, { ...call, signal: AbortSignal.any([signal, late]) })
      },
      fence: randomBytes(6).toString('hex'),
      ...(usdPerHour === undefined ? {} : { usdPerHour }),
    },
    says: `${choice.models.fast} judges above the rules (${choice.reason})`,
  }
}
