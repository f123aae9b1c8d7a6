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
  /** Whether the channel has a message of an attempt with no known outcome. Never throws. */
  ask: (channel: ChannelName, unconfirmed: UnconfirmedDelivery) => Promise<AskOutcome>
  setTimer: StartTimer
  /** Told of every outcome that is on disk. */
  onSettled: (delivery: Delivery, outcome: SendOutcome, state: DeliveryState) => void
  /** Told of every conclusion from an answer of `ask` that is on disk. */
  onResolved: (delivery: Delivery, answer: AskOutcome, state: DeliveryState) => void
  /** What went wrong beside sending: the storage. */
  onFault: (message: string) => void
}

/**
 * Delivers what waits in the outbox. Of all processes one pumps at a time: the kernel frees its lock
 * when it ends in whatever way, so that nothing is sent by two, and the next goes on at once.
 */
export interface Pump {
  /** From now on what waits is delivered as soon as it may be, whoever enqueued it. */
  start: () => void
  /** Something was enqueued here. */
  wake: () => void
  /** Delivers what may be delivered now, and resolves when that is done; false when another process is at it. */
  flush: () => Promise<boolean>
  /** Begins nothing more, waits for what is under way, and lets others pump. */
  stop: () => Promise<void>
}

/** Writes down what a service answered; then it can be told. */
type Write = () => () => void

/** Other processes enqueue too, and nobody tells. */
const POLL_MS = 1000
const PRUNE_MS = 3_600_000

export const createPump = (ports: PumpPorts): Pump => {
  const { outbox, send, ask, setTimer, onSettled, onResolved, onFault } = ports
  const underWay = new Map<ChannelName, Promise<void>>()
  /** Answered by its service, but not yet on disk. */
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
      // The same every second would bury everything else.
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
      // The caller is not kept waiting for the first attempt to begin.
      cancelTimer = setTimer(0, tick)
    },
    flush: async () => {
      // What is under way may have looked before the newest came.
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
