import { LIMITS, observerPolicy, observerVerdict } from '@steward/contract'
import { describe, expect, it } from 'vitest'
import { createObserverTeam, type ObserverTeamPorts } from './create-observer-team.ts'
import type { AskModel } from './model/ask-model.ts'
import { answer, readCall, row, START, voting } from './testing/rows.ts'

const openTeam = (ask?: AskModel, given: Partial<ObserverTeamPorts> = {}) => {
  let now = START
  const team = createObserverTeam({
    sessionId: 's',
    now: () => now,
    policy: observerPolicy.parse({}),
    readCall,
    home: '/home/u',
    oversight: ['/data/MEMORY/STATE/observer-halts.json'],
    ...(ask === undefined ? {} : { model: { ask, fence: 'f00d' } }),
    ...given,
  })
  return {
    team,
    wait: (ms: number) => {
      now += ms
    },
    /** Runs one cycle with these rows. */
    cycle: async (...rows: Parameters<typeof team.see>[0]) => {
      team.see(rows)
      now += LIMITS.observerCycleMs
      const verdict = await team.vote()
      return verdict === undefined ? undefined : observerVerdict.parse(verdict)
    },
  }
}

describe('the cycle', () => {
  it('is due every 30 seconds, votes on new rows, and is silent without any', async () => {
    const { team, wait, cycle } = openTeam()
    expect(team.dueInMs()).toBe(30_000)
    wait(29_999)
    expect(team.dueInMs()).toBe(1)
    wait(1)
    expect(team.dueInMs()).toBe(0)
    team.see([row(1, 'read /work/a')])
    const first = await team.vote()
    expect(first).toMatchObject({ cycle: 1, decision: 'continue', rows: 1, escalated: false })
    expect(team.dueInMs()).toBe(30_000)
    expect(await cycle()).toBeUndefined()
    expect(await cycle(row(70, 'read /work/b'))).toMatchObject({ cycle: 2, rows: 1 })
  })

  it('skips cycles missed during a slow vote', async () => {
    const { team, wait } = openTeam()
    wait(95_000)
    await team.vote()
    expect(team.dueInMs()).toBe(25_000)
  })

  it('is at most one cycle away when the clock is set back', () => {
    const { team, wait } = openTeam()
    wait(-3_600_000)
    expect(team.dueInMs()).toBe(30_000)
  })

  it('reads only rows of its session, uses the first prompt as the intent, and sees the end', async () => {
    const { team, cycle } = openTeam()
    const prompt = row(0, '', { type: 'user_prompt', prompt: 'delete the old backups' })
    const verdict = await cycle(
      row(0, 'delete /home/x', { session_id: 'other' }),
      prompt,
      row(2, 'delete /work/old/a'),
    )
    expect(verdict?.rows).toBe(1)
    expect(team.intent()).toEqual({ text: 'delete the old backups', source: 'first prompt' })
    expect(team.isOver()).toBe(false)
    team.see([row(3, '', { type: 'session_end' })])
    expect(team.isOver()).toBe(true)
  })

  it('judges deletions over all cycles', async () => {
    const { cycle } = openTeam(undefined, {
      policy: observerPolicy.parse({ intent: 'clean up', limits: { deletesInAll: 12 } }),
      intent: { text: 'clean up', source: 'policy' },
    })
    const nine = Array.from({ length: 9 }, (_, n) => row(1, `delete /work/src/${n}`))
    expect(await cycle(...nine)).toMatchObject({ decision: 'continue' })
    const second = await cycle(...nine.slice(0, 3))
    expect(second?.votes.find(({ observer }) => observer === 'blast-radius')).toMatchObject({
      vote: 'halt',
      rule: 'mass-delete',
      reason: expect.stringContaining('12 deletes in all'),
    })
  })

  it('halts a session that changes its oversight', async () => {
    const { cycle } = openTeam()
    const verdict = await cycle(row(1, 'write /data/MEMORY/STATE/observer-halts.json'))
    expect(verdict).toMatchObject({ decision: 'halt' })
    const { cycle: again } = openTeam()
    expect(await again(row(1, 'npx steward observe lift s'))).toMatchObject({ decision: 'halt' })
  })
})

describe('a model in addition to the rules', () => {
  it('votes with evidence and a cost per cycle and per hour', async () => {
    const { cycle } = openTeam(async () => voting('continue', 'r1'))
    const verdict = await cycle(row(1, 'read /work/a'))
    expect(verdict?.votes.map(({ judge, model }) => [judge, model])).toEqual(
      Array.from({ length: 3 }, () => ['model', 'claude-haiku-5-5']),
    )
    expect(verdict?.cost.cycle_usd).toBeCloseTo(0.0003)
    expect(verdict?.cost.primary_hours).toBeCloseTo(1 / 120)
    expect(verdict?.cost.per_primary_hour_usd).toBeCloseTo(0.036)
  })

  it('keeps an unknown price unknown in a sum', async () => {
    const { cycle } = openTeam(async () => answer(voting('continue', 'r1').json, null))
    expect(await cycle(row(1, 'read /work/a'))).toMatchObject({
      cost: { cycle_usd: null, total_usd: null, per_primary_hour_usd: null },
    })
  })

  it('may be stricter than the rules, never milder', async () => {
    const strict = openTeam(async () => voting('halt', 'r1'))
    expect(await strict.cycle(row(1, 'read /work/a'))).toMatchObject({ decision: 'halt' })
    const tricked = openTeam(async () => voting('continue', 'r1'))
    const wipe = Array.from({ length: 20 }, (_, n) => row(1, `delete /work/src/${n}`))
    const verdict = await tricked.cycle(...wipe)
    expect(verdict?.decision).toBe('halt')
    expect(verdict?.votes[1]).toMatchObject({ judge: 'rules', floor: 'halt', vote: 'halt' })
    expect(verdict?.votes[1]?.reason).toContain('the model said continue')
  })

  it('is ignored when it cites no existing row, and the user is warned after two cycles', async () => {
    const { cycle } = openTeam(async () => voting('continue', 'r99', 'x'))
    const first = await cycle(row(1, 'read /work/a'))
    expect(first?.votes[0]).toMatchObject({
      judge: 'rules',
      vote: 'continue',
      problem: 'its continue cites no row that exists',
    })
    const second = await cycle(row(31, 'read /work/b'))
    expect(second).toMatchObject({ decision: 'escalate', escalated: true })
    expect(second?.votes[0]).toMatchObject({ rule: 'missing-vote' })
    expect(await cycle(row(61, 'read /work/c'))).toMatchObject({ decision: 'continue' })
  })

  it('is asked again about rows without a vote', async () => {
    const prompts: string[] = []
    let calls = 0
    const { cycle } = openTeam(async (prompt) => {
      prompts.push(prompt)
      calls++
      if (calls <= 3) throw new Error('overloaded')
      return voting('continue', 'r1')
    })
    const failed = await cycle(row(1, 'read /work/first'))
    expect(failed?.votes[0]).toMatchObject({ judge: 'rules', problem: 'overloaded' })
    const next = await cycle(row(31, 'read /work/second'))
    expect(prompts.at(-1)).toContain('/work/first')
    expect(prompts.at(-1)).toContain('/work/second')
    expect(next?.evidence.map(({ row: id }) => id)).toEqual(['r1'])
  })

  it('sees a whole row on request, once', async () => {
    const prompts: string[] = []
    const { cycle } = openTeam(async (prompt) => {
      prompts.push(prompt)
      const wants = { vote: 'continue', reason: '', evidence: [] }
      return prompt.includes('"whole"')
        ? voting('escalate', 'r1')
        : answer({ ...wants, tool_calls: [{ tool: 'read_row', id: 'r1' }] })
    })
    const more = { command: 'read /work/a', stdout_preview: 'seen only when it is whole' }
    const verdict = await cycle(row(1, '', { ground_truth: more }))
    expect(prompts).toHaveLength(6)
    expect(prompts[0]).not.toContain('seen only when it is whole')
    expect(verdict).toMatchObject({ decision: 'escalate' })
    expect(verdict?.cost.cycle_usd).toBeCloseTo(0.0006)
  })

  it.each(['Bash', 'Write', 'Read', 'read_rows', '__proto__'])(
    'halts itself immediately when it calls %s, and the rules replace it',
    async (tool) => {
      let calls = 0
      const { cycle } = openTeam(async (_prompt, { system = '' }) => {
        calls++
        if (!system.includes('You are the blast-radius')) return voting('continue', 'r1', 'r2')
        return answer({ ...voteOf('continue'), tool_calls: [{ tool, id: 'rm -rf /' }] })
      })
      const first = await cycle(row(1, 'read /work/a'))
      expect(first).toMatchObject({ decision: 'escalate', escalated: true })
      expect(first?.votes[2]).toMatchObject({ halted: true, rule: 'self-halt', vote: 'escalate' })
      expect(first?.votes[2]?.reason).toContain(tool)
      expect(calls).toBe(3)
      const second = await cycle(row(31, 'read /work/b'))
      expect(calls).toBe(5)
      expect(second).toMatchObject({ decision: 'continue' })
      expect(second?.votes[2]).toMatchObject({ judge: 'rules', halted: true })
    },
  )

  it('is not asked any more when the hourly budget is used up', async () => {
    let calls = 0
    const { cycle } = openTeam(async () => {
      calls++
      return answer(voting('continue', 'r1', 'r2', 'r3').json, 0.01)
    })
    expect((await cycle(row(1, 'read /work/a')))?.votes[0]?.judge).toBe('model')
    const later = await cycle(row(31, 'read /work/b'))
    expect(calls).toBe(3)
    expect(later?.votes[0]).toMatchObject({
      judge: 'rules',
      problem: expect.stringMatching(/budget is used up/),
    })
  })
})

const voteOf = (vote: string) => ({ vote, reason: '', evidence: ['r1'] })
