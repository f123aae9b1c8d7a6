import type { Isolation } from '@steward/contract'
import type { ActionHost, CallAhead } from './action-host.ts'
import { NOT_STARTED } from './call-line.ts'

/** A host for one call. */
export interface HostLease {
  /** What separates it from this process. */
  isolation: Isolation
  /** Calls `execute`. */
  call: ActionHost['call']
  /** Gives the host back; must follow, also when it was not called. */
  release: () => void
}

/** A host, and the call that it was sent early. */
export interface Held {
  host: ActionHost
  ahead?: CallAhead
}

export interface LeasePorts {
  /** Waits for another host. */
  replace: () => Promise<Held>
  giveBack: (held: Held) => void
}

export const leaseOf = (first: Held, { replace, giveBack }: LeasePorts): HostLease => {
  let held: Held | undefined = first
  return {
    isolation: first.host.isolation,
    call: async (input, context, onCut) => {
      const { host, ahead } = first
      held = { host }
      try {
        return await (ahead === undefined ? host.call(input, context, onCut) : ahead.take(onCut))
      } catch (thrown) {
        if (thrown !== NOT_STARTED) throw thrown
        // The host ended because of an earlier call.
        held = undefined
        giveBack({ host })
        const other = await replace()
        held = other
        return other.host.call(input, context, onCut)
      }
    },
    release: () => {
      if (held !== undefined) giveBack(held)
      held = undefined
    },
  }
}
