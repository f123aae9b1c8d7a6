import type { AttentionAnswer, AttentionRequest, StewardEvent } from '@steward/contract'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createVirtualClock } from '../../testing/virtual-clock.ts'
import { NOW, openAttention, REQUEST } from './testing/open-attention.ts'

const { always: _, ...asked } = REQUEST.asked
/** As Claude Code asks for a tool that its MCP server lets only a person allow. */
const PERSON_ONLY: Partial<AttentionRequest> = {
  tool_name: 'mcp__form__mark',
  detail: 'mcp__form__mark: {}',
  asked,
}

const openScene = async () => {
  const clock = createVirtualClock(NOW)
  const scene = await openAttention({ clock })
  onTestFinished(scene.remove)
  return {
    ...scene,
    clock,
    askAndAnswer: async (request: Partial<AttentionRequest>, answer: AttentionAnswer) => {
      const outcome = scene.ask(request)
      await expect.poll(scene.list).toHaveLength(1)
      await clock.advanceInTurns(1000)
      await scene.answer(REQUEST.id, answer)
      await outcome
    },
    arrive: (secondsAfterRequest: number, event: Partial<StewardEvent>) =>
      scene.bus.publish('events.arrived', {
        events: [
          {
            timestamp: new Date(NOW + secondsAfterRequest * 1000).toISOString(),
            session_id: REQUEST.session_id,
            source: 'tool-activity',
            type: 'tool_use',
            ...event,
          },
        ],
      }),
  }
}

describe('a tool that only a person may allow', () => {
  it('is listed again, for the terminal, when the session stays silent after it was allowed', async () => {
    const { askAndAnswer, list, clock, sent, arrive, withdrawn } = await openScene()
    await askAndAnswer(PERSON_ONLY, { decision: 'allow' })
    await clock.advanceInTurns(19_000)
    expect(await list()).toEqual([])
    await clock.advanceInTurns(1000)
    expect(await list()).toMatchObject([
      {
        session_id: 'session-1',
        kind: 'permission',
        tool: 'mcp__form__mark',
        answerable: false,
        since: REQUEST.at,
        answer: {
          where: 'terminal',
          hint: 'It did not go on after it was allowed here: this tool may be allowed only in the terminal. Answer in the terminal of claude in /home/u/proj',
        },
      },
    ])
    await clock.advanceInTurns(60_000)
    await expect.poll(() => sent).toMatchObject([{ kind: 'waiting' }])
    arrive(90, { tool_name: 'mcp__form__mark' })
    await clock.advanceInTurns(1000)
    expect(await list()).toEqual([])
    await expect.poll(() => withdrawn).toHaveLength(1)
  })

  it('is not listed again when the session went on', async () => {
    const { askAndAnswer, list, clock, arrive } = await openScene()
    await askAndAnswer(PERSON_ONLY, { decision: 'allow' })
    arrive(2, { tool_name: 'mcp__form__mark' })
    await clock.advanceInTurns(60_000)
    expect(await list()).toEqual([])
  })

  it.each<[string, Partial<AttentionRequest>, AttentionAnswer]>([
    ['a refusal', PERSON_ONLY, { decision: 'deny' }],
    ['a tool that can be allowed for ever', { tool_name: 'mcp__a__b' }, { decision: 'allow' }],
    ['a tool of the assistant', { asked }, { decision: 'allow' }],
    ['another assistant', { ...PERSON_ONLY, host: 'codex' }, { decision: 'allow' }],
  ])('does not concern %s', async (_name, request, answer) => {
    const { askAndAnswer, list, clock } = await openScene()
    await askAndAnswer(request, answer)
    await clock.advanceInTurns(60_000)
    expect(await list()).toEqual([])
  })

  it('is listed at once, and once, when its assistant reminds of it', async () => {
    const { askAndAnswer, list, clock, arrive } = await openScene()
    await askAndAnswer(PERSON_ONLY, { decision: 'allow' })
    await clock.advanceInTurns(5000)
    arrive(6, {
      type: 'notification',
      notification_type: 'permission_prompt',
      message: 'Claude needs your permission',
    })
    const entry = { tool: 'mcp__form__mark', preview: 'mcp__form__mark: {}', answerable: false }
    expect(await list()).toMatchObject([entry])
    await clock.advanceInTurns(60_000)
    expect(await list()).toMatchObject([entry])
  })

  it('is not listed after the end of its session', async () => {
    const { askAndAnswer, list, clock, arrive } = await openScene()
    await askAndAnswer(PERSON_ONLY, { decision: 'allow' })
    await clock.advanceInTurns(30_000)
    arrive(31, { type: 'session_end' })
    expect(await list()).toEqual([])
  })
})
