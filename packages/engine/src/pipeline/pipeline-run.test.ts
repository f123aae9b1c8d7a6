import { type JsonObject, StewardError } from '@steward/contract'
import { describe, expect, it } from 'vitest'
import { readyInput } from './pipeline-run.ts'
import { createMemoryHost, type TestActions } from './testing/memory-host.ts'

const shout: TestActions[string] = ({ text }) => ({ loud: String(text).toUpperCase() })
const statuses = (host: ReturnType<typeof createMemoryHost>) =>
  host.records().map(({ path, name, status }) => `${path} ${name} ${status}`)

describe('a plain list', () => {
  it('runs each action once, in order, the output of one being the input of the next', async () => {
    const host = createMemoryHost({
      A_ONE_X: () => ({ one: 1 }),
      A_TWO_X: () => ({ two: 2 }),
    })
    expect(await host.run(['A_ONE_X', 'A_TWO_X'], { content: 'c' })).toEqual({
      output: { content: 'c', one: 1, two: 2 },
    })
    expect(host.performed).toEqual([
      { path: '1', action: 'A_ONE_X', input: { content: 'c' } },
      { path: '2', action: 'A_TWO_X', input: { content: 'c', one: 1 } },
    ])
  })

  it('does not repeat recorded steps', async () => {
    let broken = true
    const host = createMemoryHost({
      A_ONE_X: () => ({ one: 1 }),
      A_TWO_X: () => {
        if (broken) throw new Error('broken')
        return {}
      },
    })
    await expect(host.run(['A_ONE_X', 'A_TWO_X'], {})).rejects.toThrow('broken')
    broken = false
    expect(await host.run(['A_ONE_X', 'A_TWO_X'], {})).toEqual({ output: { one: 1 } })
    expect(host.performed.map(({ action }) => action)).toEqual(['A_ONE_X', 'A_TWO_X', 'A_TWO_X'])
  })

  it('stops at the first failure and names its stage', async () => {
    const host = createMemoryHost({
      A_ONE_X: () => {
        throw new Error('broken')
      },
      A_TWO_X: () => ({}),
    })
    await expect(host.run(['A_ONE_X', 'A_TWO_X'], {})).rejects.toMatchObject({
      stage: 'A_ONE_X',
      code: 'action_failed',
    })
    expect(host.performed).toHaveLength(1)
  })
})

describe('with', () => {
  it('gives fields to one action only, literals and fields', async () => {
    const host = createMemoryHost({ A_ASK_X: ({ prompt }) => ({ answer: prompt }), A_END_X: shout })
    const { output } = await host.run(
      [
        {
          action: 'A_ASK_X',
          with: {
            prompt: 'In {language}: {{x}} {n}',
            list: '{tags}',
            text: 'own',
            deep: [{ a: '{text}' }],
          },
        },
        'A_END_X',
      ],
      { language: 'en', n: 2, tags: ['a'], text: 'kept' },
    )
    expect(host.performed[0]?.input).toEqual({
      language: 'en',
      n: 2,
      tags: ['a'],
      prompt: 'In en: {x} 2',
      list: ['a'],
      text: 'own',
      deep: [{ a: 'kept' }],
    })
    expect(output).toEqual({
      language: 'en',
      n: 2,
      tags: ['a'],
      text: 'kept',
      answer: 'In en: {x} 2',
      loud: 'KEPT',
    })
  })

  it('keeps what the action itself returns under such a name', async () => {
    const host = createMemoryHost({ A_ASK_X: ({ text }) => ({ text: `${text}!` }) })
    const { output } = await host.run([{ action: 'A_ASK_X', with: { text: 'new' } }], {
      text: 'old',
    })
    expect(output).toEqual({ text: 'new!' })
  })

  it('fails before the action if a field is missing', async () => {
    const host = createMemoryHost({ A_ASK_X: () => ({}) })
    const running = host.run([{ action: 'A_ASK_X', with: { prompt: 'Hi {nam}' } }], {})
    await expect(running).rejects.toThrow(/with\.prompt.*there is no field nam/)
    expect(host.performed).toEqual([])
    expect(statuses(host)).toEqual(['1 A_ASK_X failed'])
  })
})

describe('when', () => {
  it('goes on or filters, and records which', async () => {
    const host = createMemoryHost({ A_ONE_X: () => ({ n: 5 }), A_TWO_X: () => ({ two: 2 }) })
    const steps = ['A_ONE_X', { when: 'n > 4' }, { when: 'n > 5' }, 'A_TWO_X']
    expect(await host.run(steps, {})).toEqual({ output: { n: 5 }, filtered: 'n > 5' })
    expect(statuses(host)).toEqual([
      '1 A_ONE_X completed',
      '2 when n > 4 completed',
      '3 when n > 5 filtered',
    ])
  })

  it('fails on a missing field and on a value that is neither true nor false', async () => {
    const host = createMemoryHost({})
    await expect(host.run([{ when: 'n > 5' }], {})).rejects.toMatchObject({
      code: 'invalid_input',
      stage: 'when n > 5',
    })
    await expect(host.run([{ when: 'n' }], { n: 'text' })).rejects.toThrow('must be true or false')
  })
})

describe('retry and onError', () => {
  const failing = (times: number, error: () => Error) => {
    let count = 0
    return () => {
      count += 1
      if (count <= times) throw error()
      return { count }
    }
  }

  it('tries again after a growing wait, and honours retry-after', async () => {
    const busy = () => StewardError.restore('upstream_failed', 'busy', { retryAfterSeconds: 3 })
    const host = createMemoryHost({ A_ONE_X: failing(3, busy) })
    const step = { action: 'A_ONE_X', retry: { attempts: 4, delay: '2s' } }
    expect(await host.run([step], {})).toEqual({ output: { count: 4 } })
    expect(host.waits).toEqual([3000, 4000, 8000])
    expect(statuses(host)).toEqual(['1 A_ONE_X completed'])
  })

  it('does not try again if that cannot help', async () => {
    const refuse = () => new StewardError('rejected_content', { subject: 'it', reason: 'spam' })
    const host = createMemoryHost({ A_ONE_X: failing(9, refuse) })
    await expect(
      host.run([{ action: 'A_ONE_X', retry: { attempts: 3 } }], {}),
    ).rejects.toMatchObject({ code: 'rejected_content' })
    expect(host.performed).toHaveLength(1)
  })

  it('runs other steps with the error, which is not passed on', async () => {
    const host = createMemoryHost({
      A_ONE_X: failing(9, () => new Error('no')),
      A_LABEL_X: ({ error }) => ({ label: error }),
      A_END_X: () => ({}),
    })
    const steps = [{ action: 'A_ONE_X', onError: 'A_LABEL_X' }, 'A_END_X']
    const { output } = await host.run(steps, { text: 't' })
    expect(output).toEqual({
      text: 't',
      label: { action: 'A_ONE_X', code: 'action_failed', message: 'A_ONE_X failed: no' },
    })
    expect(statuses(host)).toEqual([
      '1 A_ONE_X failed',
      '1.onError.1 A_LABEL_X completed',
      '2 A_END_X completed',
    ])
  })

  it('continues in the onError steps when they failed, without the action', async () => {
    const host = createMemoryHost({
      A_ONE_X: failing(9, () => new Error('no')),
      A_LABEL_X: failing(1, () => new Error('not yet')),
    })
    const steps = [{ action: 'A_ONE_X', onError: 'A_LABEL_X' }]
    await expect(host.run(steps, {})).rejects.toMatchObject({ stage: 'A_LABEL_X' })
    expect(await host.run(steps, {})).toEqual({ output: { count: 2 } })
    expect(host.performed.map(({ action }) => action)).toEqual([
      'A_ONE_X',
      'A_LABEL_X',
      'A_LABEL_X',
    ])
  })
})

describe('parallel', () => {
  it('gives every branch the same fields and joins what they changed', async () => {
    const host = createMemoryHost({
      A_ONE_X: ({ n }) => ({ one: n, same: 1 }),
      A_TWO_X: ({ n }) => ({ two: n, same: 2 }),
      A_SET_X: () => ({ n: 7 }),
    })
    const steps = [
      { parallel: [['A_ONE_X', 'A_SET_X'], ['A_TWO_X'], [{ when: 'n > 9' }, 'A_SET_X']] },
    ]
    expect(await host.run(steps, { n: 3, o: { a: [1] } })).toEqual({
      output: { n: 7, o: { a: [1] }, one: 3, two: 3, same: 2 },
    })
    expect(statuses(host)).toEqual([
      '1 parallel completed',
      '1.parallel[1].1 A_ONE_X completed',
      '1.parallel[1].2 A_SET_X completed',
      '1.parallel[2].1 A_TWO_X completed',
      '1.parallel[3].1 when n > 9 filtered',
    ])
  })

  it('lets other branches end when one fails, and repeats only that one', async () => {
    let broken = true
    const host = createMemoryHost({
      A_ONE_X: () => {
        if (broken) throw new Error('broken')
        return { one: 1 }
      },
      A_TWO_X: () => ({ two: 2 }),
    })
    const steps = [{ parallel: [['A_ONE_X'], ['A_TWO_X', 'A_TWO_X']] }]
    await expect(host.run(steps, {})).rejects.toMatchObject({ stage: 'A_ONE_X' })
    broken = false
    expect(await host.run(steps, {})).toEqual({ output: { one: 1, two: 2 } })
    expect(host.performed.filter(({ action }) => action === 'A_TWO_X')).toHaveLength(2)
  })
})

describe('each', () => {
  it('replaces a list by its results, in order', async () => {
    const host = createMemoryHost({
      A_FETCH_X: async ({ url }) => {
        // Later elements answer first.
        for (let turn = 9 - Number(url); turn > 0; turn--) await Promise.resolve()
        return { title: `t${url}` }
      },
    })
    const links = [{ url: 1 }, { url: 2 }, { url: 3 }]
    expect(await host.run([{ each: 'links', do: ['A_FETCH_X'] }], { links, big: 'x' })).toEqual({
      output: { big: 'x', links: links.map(({ url }) => ({ url, title: `t${url}` })) },
    })
    expect(host.performed[0]?.input).toEqual({ url: 1 })
  })

  it('names other elements item, and lets expressions use the fields around', async () => {
    const host = createMemoryHost({ A_FETCH_X: ({ url, lang }) => ({ title: `${url} ${lang}` }) })
    const step = {
      each: 'links',
      do: [
        { when: 'index != 1 && item != skip' },
        { action: 'A_FETCH_X', with: { url: '{item}', lang: '{language}' } },
      ],
      max: 3,
    }
    const { output } = await host.run([step], {
      links: ['a', 'b', 'c', 'd'],
      language: 'en',
      skip: 'c',
    })
    expect(output.links).toEqual([{ item: 'a', title: 'a en' }])
    expect(host.notes).toEqual(['1 each links: the first 3 of 4 elements (max)'])
  })

  it('starts nothing more after a failure, and continues with the failed element', async () => {
    let broken = true
    const host = createMemoryHost({
      A_FETCH_X: ({ item }) => {
        if (broken && item === 3) throw new Error('broken')
        return { twice: Number(item) * 2 }
      },
    })
    const numbers = Array.from({ length: 50 }, (_, at) => at)
    const steps = [{ each: 'numbers', do: ['A_FETCH_X'], concurrency: 2 }]
    await expect(host.run(steps, { numbers })).rejects.toThrow('broken')
    expect(host.performed.length).toBeLessThan(8)
    broken = false
    const before = host.performed.length
    const { output } = await host.run(steps, { numbers })
    expect(output.numbers).toEqual(numbers.map((item) => ({ item, twice: item * 2 })))
    expect(host.performed.length - before).toBe(50 - before + 1)
  })

  it('works on few elements at a time', async () => {
    let now = 0
    let most = 0
    const host = createMemoryHost({
      A_FETCH_X: async () => {
        most = Math.max(most, ++now)
        await Promise.resolve()
        now--
        return {}
      },
    })
    await host.run([{ each: 'list', do: ['A_FETCH_X'], concurrency: 3 }], {
      list: Array.from({ length: 20 }, () => ({})),
    })
    expect(most).toBe(3)
  })

  it('refuses a value that is not a list, and a list that is too long', async () => {
    const host = createMemoryHost({ A_FETCH_X: () => ({}) })
    const steps = [{ each: 'list', do: ['A_FETCH_X'] }]
    await expect(host.run(steps, { list: 'x' })).rejects.toThrow('must be an array, found string')
    await expect(host.run(steps, {})).rejects.toThrow('missing input "list"')
    await expect(host.run(steps, { list: new Array(10_001).fill({}) })).rejects.toThrow('set max')
  })

  it('limits the size of all results together', async () => {
    const host = createMemoryHost({ A_FETCH_X: () => ({ text: 'x'.repeat(1_000_000) }) })
    const running = host.run([{ each: 'list', do: ['A_FETCH_X'] }], {
      list: new Array(20).fill({}),
    })
    await expect(running).rejects.toMatchObject({ code: 'payload_too_large' })
  })
})

describe('the input of a pipeline', () => {
  const input = { language: { type: 'string', default: 'en' }, n: { type: 'integer' } } as const
  const ready = (given: JsonObject) => readyInput({ name: 'P_X', input }, given)

  it('has its defaults', () => {
    expect(ready({ text: 't' })).toEqual({ text: 't', language: 'en' })
    expect(ready({ language: 'de' })).toEqual({ language: 'de' })
  })

  it('is checked', () => {
    expect(() => ready({ n: 'x' })).toThrow(/P_X.*"n" must be an integer/)
  })
})
