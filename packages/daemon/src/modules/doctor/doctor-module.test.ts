import type { Finding } from '@steward/assistants'
import { API, type Route } from '@steward/contract'
import { createRedactor } from '@steward/platform'
import { expect, it } from 'vitest'
import { createDoctorModule } from './doctor-module.ts'

const open = (findings: () => Finding[]) => {
  const module = createDoctorModule({
    runChecks: async () => findings(),
    redactor: () => createRedactor({ KEY: 'Sup3rSecret' }),
  })
  return async (route: Route, body?: unknown): Promise<unknown> => {
    const handler = module.handlers.find((each) => each.route === route)
    const call = { signal: new AbortController().signal, header: () => undefined }
    return handler?.answer({ params: undefined, query: undefined, body }, call)
  }
}

const warning = { check: 'env file', status: 'warn', message: 'others can read it' } as const

it('offers a repair only if its change is known, and shows no secret', async () => {
  const fix = async () => 'done'
  const ask = open(() => [
    { ...warning, repair: 'chmod 600 .env', change: 'only you can read it', fix },
    { check: 'sandbox', status: 'warn', message: 'missing Sup3rSecret', fix },
  ])
  const answer = API.examine.answer.parse(await ask(API.examine))
  expect(answer.findings).toEqual([
    { ...warning, repair: 'chmod 600 .env', change: 'only you can read it' },
    { check: 'sandbox', status: 'warn', message: expect.not.stringContaining('Sup3rSecret') },
  ])
})

it('repairs current findings, but not resolved ones or those that need a terminal', async () => {
  let isOpen = true
  const fix = async () => {
    isOpen = false
    return 'made it private'
  }
  const ask = open(() => [
    ...(isOpen ? [{ ...warning, change: 'only you can read it', fix }] : []),
    { check: 'sandbox', status: 'warn', message: 'missing', fix: async () => 'installed' },
  ])
  const { check, message } = warning
  expect(await ask(API.repair, { check, message })).toEqual({ done: 'made it private' })
  await expect(ask(API.repair, { check, message })).rejects.toMatchObject({ code: 'not_found' })
  const sandbox = ask(API.repair, { check: 'sandbox', message: 'missing' })
  await expect(sandbox).rejects.toMatchObject({ code: 'not_found' })
})

it('continues after a failed repair, one at a time', async () => {
  const order: string[] = []
  const fix = async () => {
    order.push('begins')
    await Promise.resolve()
    order.push('ends')
    throw new Error('read-only')
  }
  const ask = open(() => {
    order.push('looks')
    return [{ ...warning, change: 'x', fix }]
  })
  const { check, message } = warning
  const failing = ask(API.repair, { check, message })
  const looking = ask(API.examine)
  await expect(failing).rejects.toThrow('read-only')
  await looking
  expect(order).toEqual(['looks', 'begins', 'ends', 'looks'])
})
