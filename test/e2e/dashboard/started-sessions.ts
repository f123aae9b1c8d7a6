import { type DrivenSession, drivenSession } from '@steward/contract'
import { resolveHome } from '@steward/platform'
import { openDrivenStore } from '../../../packages/daemon/src/modules/driven/driven-store.ts'

/** Writes two sessions of one comparison, as a daemon that started them left them. */
export const writeStartedSessions = async (
  home: string,
  nowMs: number,
): Promise<{ session: string; comparison: string }> => {
  const at = new Date(nowMs - 3_600_000).toISOString()
  const prompt = 'Update the dependencies and run the tests'
  const project = '/srv/wattline'
  const sessionOf = (assistant: 'claude' | 'codex', isGood: boolean): DrivenSession =>
    drivenSession.parse({
      ...{ id: `started-${assistant}`, assistant, project, folder: project, prompt },
      ...{ branch: `steward/update-the-dependencies-${assistant}`, base: null, mode: null },
      ...{ state: 'stopped', reason: 'stopped by you', permissions: 'deny', check: 'npm test' },
      ...{ limits: { minutes: 30 }, turns: 1, toolCalls: 7, workedMs: 412_000, resumed: 0 },
      ...{ costUsd: isGood ? 0.42 : null, startedAt: at, changedAt: at },
      answer: 'Three packages are newer now.',
      result: {
        ...{
          diffStat: ' package.json | 6 +++---\n 1 file changed, 3 insertions(+), 3 deletions(-)',
        },
        ...{ commit: null, outside: [] },
        check: { command: 'npm test', ok: isGood, output: isGood ? '' : '1 of 40 tests failed' },
      },
    })
  const sessions = [sessionOf('claude', true), sessionOf('codex', false)]
  const store = openDrivenStore(resolveHome({ STEWARD_HOME: home }))
  for (const session of sessions) {
    store.save(session)
    store.show(session.id, { at, kind: 'prompt', text: prompt })
    store.show(session.id, { at, kind: 'message', text: 'I look at the packages ' })
    store.show(session.id, { at, kind: 'message', text: 'that are out of date.' })
    store.show(session.id, { at, kind: 'tool', text: 'npm outdated' })
    store.show(session.id, { at, kind: 'state', text: 'Check: npm test' })
  }
  const comparison = 'c0mpared'
  const ids = sessions.map(({ id }) => id)
  store.saveComparison({ id: comparison, prompt, project, startedAt: at, sessions: ids })
  await store.end()
  return { session: 'started-codex', comparison }
}
