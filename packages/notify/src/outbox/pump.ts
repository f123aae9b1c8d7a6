import { CHANNELS, type ChannelName, reasonOf } from '@steward/contract'
import { holdLock, type Lock, type StartTimer } from '@steward/platform'
import type { AskOutcome } from '../channels/ask-outcome.ts'
import type { OutgoingMessage } from '../channels/outgoing-message.ts'
import type { SendOutcome } from '../channels/send-outcome.ts'
import type { Delivery, DeliveryState } from './delivery.ts'
import type { Outbox } from './outbox.ts'
import type { UnconfirmedDelivery } from './resolve-unconfirmed.ts'

export interface PumpPorts {
  outbox: Outbox
  /** Never throws. */
  send: (channel: ChannelName, message: OutgoingMessage) => Promise<SendOutcome>
  /** Queries whether the channel has a message whose attempt has no known outcome. Never throws. */
  ask: (channel: ChannelName, unconfirmed: UnconfirmedDelivery) => Promise<AskOutcome>
  setTimer: StartTimer
  /** Called for every stored outcome. */
  onSettled: (delivery: Delivery, outcome: SendOutcome, state: DeliveryState) => void
  /** Called for every stored conclusion from an answer of `ask`. */
  onResolved: (delivery: Delivery, answer: AskOutcome, state: DeliveryState) => void
  /** Reports storage faults. */
  onFault: (message: string) => void
}

/**
 * Delivers the outbox. Only one process pumps at a time: the kernel releases its lock however it
 * ends, so nothing is sent twice and the next process continues immediately.
 */
export interface Pump {
  /** Starts delivering everything as soon as it is due, from any process. */
  start: () => void
  /** Called after something was enqueued here. */
  wake: () => void
  /**
   * Delivers everything that is due and resolves when done; false if another process is pumping.
   */
  flush: () => Promise<boolean>
  /** Starts no more deliveries, waits for the running ones, and releases the lock. */
  stop: () => Promise<void>
}

/** Stores the service's answer; returns the callback that reports it. */
type Write = () => () => void

/** Other processes also enqueue, without a notification. */
const POLL_MS = 1000
const PRUNE_MS = 3_600_000

export const createPump = (ports: PumpPorts): Pump => {
  const { outbox, send, ask, setTimer, onSettled, onResolved, onFault } = ports
  const underWay = new Map<ChannelName, Promise<void>>()
  /** Answered by the service, but not yet on disk. */
  const unsettled = new Map<ChannelName, () => void>()
  let lock: Lock | undefined
  let isStarted = false
  let isStopped = false
  let cancelTimer: (() => void) | undefined
  let cancelPrune: (() => void) | undefined
  let lastFault = ''

  const guard = <T>(work: () => T): T | undefined => {
    try {
      return work()
    } catch (thrown) {
      const fault = reasonOf(thrown)
      // Repeating the same fault every second would bury everything else.
      if (fault !== lastFault) onFault(fault)
      lastFault = fault
      return undefined
    }
  }

  const deliverAll = async (channel: ChannelName): Promise<void> => {
    for (;;) {
      if (isStopped) return
      const owed = unsettled.get(channel)
      if (owed !== undefined) {
        guard(owed)
        if (unsettled.has(channel)) return
      }
      const write = (await askNext(channel)) ?? (await sendNext(channel))
      if (write === undefined) return
      const settle = () => {
        const tell = write()
        unsettled.delete(channel)
        lastFault = ''
        tell()
      }
      unsettled.set(channel, settle)
      guard(settle)
    }
  }

  const askNext = async (channel: ChannelName): Promise<Write | undefined> => {
    const unconfirmed = guard(() => outbox.findUnconfirmed(channel))
    if (unconfirmed === undefined) return undefined
    const answer = await ask(channel, unconfirmed)
    return () => {
      const state = outbox.resolve(unconfirmed, answer)
      return () => onResolved(unconfirmed.delivery, answer, state)
    }
  }

  const sendNext = async (channel: ChannelName): Promise<Write | undefined> => {
    const delivery = guard(() => outbox.claim(channel))
    if (delivery === undefined) return undefined
    const outcome = await send(channel, delivery)
    return () => {
      const state = outbox.settle(delivery, outcome)
      return () => onSettled(delivery, outcome, state)
    }
  }

  const begin = (): boolean => {
    lock ??= guard(() => holdLock(`${outbox.path}.pump`))
    if (lock === undefined) return false
    for (const channel of CHANNELS) {
      if (underWay.has(channel)) continue
      const work = deliverAll(channel).finally(() => underWay.delete(channel))
      underWay.set(channel, work)
    }
    return true
  }

  const rest = async (): Promise<void> => {
    while (underWay.size > 0) await Promise.all(underWay.values())
  }

  const release = (): void => {
    lock?.release()
    lock = undefined
  }

  const tick = (): void => {
    cancelTimer?.()
    if (isStopped) return
    begin()
    cancelTimer = setTimer(POLL_MS, tick)
  }

  const prune = (): void => {
    if (lock !== undefined) guard(() => outbox.prune())
    cancelPrune = setTimer(PRUNE_MS, prune)
  }

  return {
    start: () => {
      if (isStarted || isStopped) return
      isStarted = true
      tick()
      prune()
    },
    wake: () => {
      if (!isStarted || isStopped) return
      cancelTimer?.()
      // Scheduled, so that the caller does not wait for the first attempt.
      cancelTimer = setTimer(0, tick)
    },
    flush: async () => {
      // A running pass may have started before the newest notice was stored.
      await rest()
      if (isStopped || !begin()) return false
      await rest()
      if (!isStarted) release()
      return true
    },
    stop: async () => {
      isStopped = true
      cancelTimer?.()
      cancelPrune?.()
      await rest()
      for (const settle of unsettled.values()) guard(settle)
      release()
    },
  }
}
