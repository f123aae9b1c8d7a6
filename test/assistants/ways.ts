import type { AttentionAnswer, AttentionEntry } from '@steward/contract'
import type { Page, Request, Route } from 'playwright-core'
import { z } from 'zod'
import { until } from './machine.ts'
import type { World } from './world.ts'

/** One way to answer from elsewhere. Whether an answer counts is seen at the request, not here. */
export interface Way {
  name: string
  /** How the daemon names what answers this way. */
  answerer: string
  /** Waits until the request can be answered this way. */
  ready: (entry: AttentionEntry) => Promise<void>
  give: (entry: AttentionEntry, answer: AttentionAnswer) => Promise<void>
  /** Waits until the request is not offered any more. */
  gone: (entry: AttentionEntry) => Promise<void>
  /** Sends answers that allow it, and that no allowed device has signed. */
  forge: (entry: AttentionEntry) => Promise<void>
  /** Sends the last answer, and others that were prepared for the same request, again. */
  replay: (entry: AttentionEntry) => Promise<void>
  /** Prepares an answer that allows it; what is returned sends it later. */
  prepare: (entry: AttentionEntry, answer: AttentionAnswer) => Promise<() => Promise<void>>
}

const OWNER = 'the owner of the data home'

const pathOf = ({ id }: AttentionEntry): string => `/api/attention/${id}/answer`

export const throughApi = ({ api }: World): Way => {
  let last: AttentionAnswer | undefined
  const give: Way['give'] = async (entry, answer) => {
    last = answer
    await api(pathOf(entry), answer)
  }
  return {
    name: 'api',
    answerer: OWNER,
    ready: async () => undefined,
    gone: async () => undefined,
    give,
    forge: async (entry) => {
      for (const token of ['', 'wrong', 'f00dfeed'.repeat(8)]) {
        const { status } = await api(pathOf(entry), { decision: 'allow' }, token)
        if (status !== 401) throw new Error(`a wrong token got ${status}`)
      }
    },
    replay: async (entry) => {
      for (const answer of [last, { decision: 'allow' }]) {
        const { status } = await api(pathOf(entry), answer)
        if (status !== 409) throw new Error(`a second answer got ${status}`)
      }
    },
    prepare: async (entry, answer) => async () => {
      const { status } = await api(pathOf(entry), answer)
      if (status !== 409) throw new Error(`a late answer got ${status}`)
    },
  }
}

/** `steward answer`, with everything else as through the API. */
export const throughCommand = (world: World): Way => ({
  ...throughApi(world),
  name: 'command',
  give: async ({ id }, answer) => {
    const flags =
      'decision' in answer
        ? [`--${answer.decision}`]
        : 'choice' in answer
          ? ['--choice', String(answer.choice)]
          : 'content' in answer
            ? Object.entries(answer.content).flatMap(([name, value]) => [
                '--field',
                `${name}=${value}`,
              ])
            : ['--text', answer.text]
    const { code, stderr } = await world.steward('answer', id, ...flags)
    if (code !== 0) throw new Error(stderr)
  },
})

/** The buttons of a push. */
export const throughButtons = async (world: World): Promise<Way> => {
  const { ntfy, steward } = world
  const added = await steward('answer', 'devices', 'add', 'watch', '--json')
  const { topic } = z.object({ topic: z.string() }).parse(JSON.parse(added.stdout))
  await until('the daemon follows the replies', () => ntfy.followers() > 0)
  const find = ({ preview }: AttentionEntry) =>
    ntfy.shown.find((push) => push.topic === topic && push.message.includes(preview))
  const send = (url: string, body: string) => fetch(url, { method: 'POST', body })
  let last: { url: string; body: string }[] = []
  const pick = async (entry: AttentionEntry, answer: AttentionAnswer) => {
    const push = await until('the push', () => find(entry))
    const label =
      'choice' in answer
        ? String(answer.choice)
        : 'decision' in answer && answer.decision === 'allow'
          ? 'Allow'
          : 'Deny'
    const button = push.buttons.find((each) => each.label === label)
    if (button === undefined) throw new Error(`the push has no button ${label}`)
    last = [button, ...push.buttons]
    return button
  }
  return {
    name: 'button',
    answerer: 'device watch',
    ready: async (entry) => void (await until('the push', () => find(entry))),
    gone: async (entry) =>
      void (await until('the push is removed', () => find(entry) === undefined)),
    give: async (entry, answer) => {
      const { url, body } = await pick(entry, answer)
      await send(url, body)
    },
    forge: async (entry) => {
      const { url, body } = await pick(entry, { decision: 'allow' })
      const [text = '', mac = ''] = body.split('.')
      const denial = await pick(entry, { decision: 'deny' })
      await send(url, `${text}.${mac.slice(0, -4)}AAAA`)
      await send(url, `${text}.${denial.body.split('.')[1]}`)
      await send(url, `${text}.`)
      await send(url, JSON.stringify({ decision: 'allow', id: entry.id }))
    },
    replay: async () => {
      for (const { url, body } of last) await send(url, body)
    },
    prepare: async (entry, answer) => {
      const { url, body } = await pick(entry, answer)
      return async () => void (await send(url, body))
    },
  }
}

const frameBody = z.looseObject({ counter: z.number(), data: z.string() })

/** The page of the relay on a phone. */
export const throughRelay = async (world: World, page: Page): Promise<Way> => {
  const paired = await world.steward('answer', 'devices', 'pair', 'phone', '--answers', '--json')
  const { link } = z.object({ link: z.url() }).parse(JSON.parse(paired.stdout))
  const sent: Request[] = []
  let lastAnswer: Request | undefined
  page.on('request', (request) => {
    if (request.method() === 'POST') sent.push(request)
  })
  await page.goto(link)
  await page.getByText('Connected as phone.').waitFor()
  const articleOf = ({ preview }: AttentionEntry) => page.locator('article', { hasText: preview })
  const repost = async (request: Request | undefined, change = (body: string) => body) => {
    if (request === undefined) throw new Error('the page has sent nothing')
    const { authorization = '' } = await request.allHeaders()
    await fetch(request.url(), {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: change(request.postData() ?? ''),
    })
  }
  const give: Way['give'] = async (entry, answer) => {
    const article = articleOf(entry)
    const label = (name: string) => article.getByRole('button', { name, exact: true })
    if ('choice' in answer) {
      await article.getByLabel(String(answer.choice)).check()
      await label('Answer').tap()
    } else if ('content' in answer) {
      for (const [name, value] of Object.entries(answer.content)) {
        await article.getByLabel(name, { exact: false }).fill(String(value))
      }
      await label('Send').tap()
    } else {
      await label('decision' in answer && answer.decision === 'allow' ? 'Allow' : 'Deny').tap()
    }
  }
  return {
    name: 'relay',
    answerer: 'device phone',
    ready: async (entry) => {
      await articleOf(entry).waitFor({ timeout: 60_000 })
      const width = await page.evaluate(() => document.documentElement.scrollWidth)
      if (width !== 390) throw new Error(`the page is ${width} pixels wide`)
    },
    gone: async (entry) =>
      void (await articleOf(entry).waitFor({ state: 'detached', timeout: 60_000 })),
    give: async (entry, answer) => {
      const before = sent.length
      await give(entry, answer)
      lastAnswer = await until('the page sends the answer', () => sent[before])
    },
    forge: async () => {
      const change = (edit: (data: string) => string, more: number) => (body: string) => {
        const frame = frameBody.parse(JSON.parse(body))
        return JSON.stringify({ ...frame, data: edit(frame.data), counter: frame.counter + more })
      }
      await repost(
        sent.at(-1),
        change((data) => data, 1000),
      )
      await repost(
        sent.at(-1),
        change((data) => `${data.slice(0, -8)}AAAAAAAA`, 2000),
      )
    },
    replay: async () => {
      await repost(lastAnswer)
      await repost(lastAnswer)
    },
    prepare: async (entry, answer) => {
      const held: Route[] = []
      const hold = async (route: Route): Promise<void> => {
        if (route.request().method() === 'POST') held.push(route)
        else await route.continue()
      }
      await page.route('**/box/**', hold)
      await give(entry, answer)
      await until('the page sends the answer', () => held[0])
      return async () => {
        for (const route of held) await route.continue()
        await page.unroute('**/box/**', hold)
      }
    },
  }
}
