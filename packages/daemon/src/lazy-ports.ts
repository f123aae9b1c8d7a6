import { randomUUID } from 'node:crypto'
import { reasonOf } from '@steward/contract'
import type {
  Asking,
  AssistantCharacter,
  Execution,
  HostedCalls,
  HostedSessions,
  HostedUsage,
  Replying,
  ScheduledJobs,
  Speech,
  UsageOfSessions,
  WithdrawableNotices,
} from './ports.ts'

/**
 * Ports of modules that are loaded on first use. A module that fails to load counts as not running:
 * callers get the result that the port defines for that case.
 */

export const speechOf = (voice: () => Promise<{ speech: Speech }>): Speech => ({
  announce: async (announcement, onEnded) => {
    try {
      return await (await voice()).speech.announce(announcement, onEnded)
    } catch (thrown) {
      return { queued: false, id: randomUUID(), queue_depth: 0, reason: reasonOf(thrown) }
    }
  },
})

export const noticesOf = (
  notifications: () => Promise<{ notices: WithdrawableNotices }>,
): WithdrawableNotices => ({
  send: async (notice) => {
    try {
      return await (await notifications()).notices.send(notice)
    } catch (thrown) {
      return { stored: false, reason: reasonOf(thrown) }
    }
  },
  withdraw: async (key) => {
    const loaded = await loadedOf(notifications)
    await loaded?.notices.withdraw(key)
  },
})

export const hostedOf = (module: () => Promise<{ calls: HostedCalls }>): HostedCalls => ({
  waiting: async () => {
    const loaded = await loadedOf(module)
    return loaded === undefined ? [] : loaded.calls.waiting()
  },
  answer: async (call, decision) => (await module()).calls.answer(call, decision),
})

export const hostedSessionsOf = (
  module: () => Promise<{ sessions: HostedSessions }>,
): HostedSessions => ({
  list: async () => {
    const loaded = await loadedOf(module)
    return loaded === undefined ? [] : loaded.sessions.list()
  },
})

export const hostedUsageOf = (module: () => Promise<{ usage: HostedUsage }>): HostedUsage => ({
  store: async () => (await loadedOf(module))?.usage.store(),
})

export const askingOf = (module: () => Promise<{ asking: Asking }>): Asking => ({
  claim: async (sessionId, send) => {
    const loaded = await loadedOf(module)
    return loaded === undefined ? () => undefined : loaded.asking.claim(sessionId, send)
  },
  ask: async (request, signal) => (await module()).asking.ask(request, signal),
  countOpen: async () => {
    const loaded = await loadedOf(module)
    return loaded === undefined ? 0 : loaded.asking.countOpen()
  },
  reply: async (sessionId, text) => {
    const loaded = await loadedOf(module)
    return loaded === undefined ? false : loaded.asking.reply(sessionId, text)
  },
})

export const replyingOf = (module: () => Promise<{ replying: Replying }>): Replying => ({
  find: async (id) => (await module()).replying.find(id),
  reply: async (session, text) => (await module()).replying.reply(session, text),
})

export const usageOf = (module: () => Promise<{ sessions: UsageOfSessions }>): UsageOfSessions => ({
  of: async (session) => {
    const loaded = await loadedOf(module)
    return loaded === undefined ? null : loaded.sessions.of(session)
  },
  costs: async (sessions) => {
    const loaded = await loadedOf(module)
    return loaded === undefined ? new Map() : loaded.sessions.costs(sessions)
  },
  changes: async (since) => {
    const loaded = await loadedOf(module)
    return loaded === undefined
      ? { sessions: [], next: since, isAll: true }
      : loaded.sessions.changes(since)
  },
})

export const characterOf = (
  assistant: () => Promise<{ character: AssistantCharacter }>,
): AssistantCharacter => ({
  say: async (message) => {
    const loaded = await loadedOf(assistant)
    return loaded === undefined ? { message, change: {} } : loaded.character.say(message)
  },
})

export const jobsOf = (assistant: () => Promise<{ jobs: ScheduledJobs }>): ScheduledJobs => ({
  countJobs: async () => {
    const loaded = await loadedOf(assistant)
    return loaded === undefined ? { scheduled: 0, failing: 0 } : loaded.jobs.countJobs()
  },
})

export const executionOf = (module: () => Promise<{ execution: Execution }>): Execution => ({
  perform: async (work, signal) => (await module()).execution.perform(work, signal),
  listFlows: async () => {
    const loaded = await loadedOf(module)
    return loaded?.execution.listFlows()
  },
  listRuns: async (limit) => {
    const loaded = await loadedOf(module)
    return loaded === undefined ? [] : loaded.execution.listRuns(limit)
  },
})

const loadedOf = async <Module>(load: () => Promise<Module>): Promise<Module | undefined> => {
  try {
    return await load()
  } catch {
    // The module runner already logs the reason and reports it in the daemon's health.
    return undefined
  }
}
