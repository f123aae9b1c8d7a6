import type { API, RouteAnswer } from '@steward/contract'
import { formatCount } from '../../ui/format.ts'

type Simulation = RouteAnswer<typeof API.simulateSecurity>

/** Describes the effect of a rule in sentences. */
export const describeSimulation = ({
  days,
  calls,
  isCut,
  matches,
  changed,
  shadowed,
}: Simulation): string[] => {
  const of = isCut
    ? `the newest ${countCalls(calls)} (there are more)`
    : `${countCalls(calls)} of the last ${days} days`
  if (calls === 0) return [`No tool calls were recorded in the last ${days} days.`]
  if (matches === 0) return [`None of ${of} matches.`]
  const effects = [
    [changed.deny, 'newly blocked'],
    [changed.ask, 'newly asked'],
    [changed.alert, 'newly watched'],
    [changed.pass, 'no longer blocked, asked or watched'],
    [shadowed, 'only logged'],
  ] as const
  const named = effects.filter(([count]) => count > 0)
  const said =
    named.length === 0
      ? 'All keep their verdict.'
      : `${named.map(([count, effect]) => `${formatCount(count)} would be ${effect}`).join(', ')}.`
  return [`${formatCount(matches)} of ${of} ${matches === 1 ? 'matches' : 'match'}.`, said]
}

const countCalls = (count: number): string =>
  `${formatCount(count)} tool ${count === 1 ? 'call' : 'calls'}`
