import type { ObservabilityTarget } from '@steward/contract'
import { createPushLane, type LanePorts, type PushLane, type TargetHealth } from './push-lane.ts'
import { FIRST_PUSH, type PushRequest } from './push-timing.ts'

/** Manages one lane per configured target; new targets take effect immediately. */
export const createPusher = (ports: LanePorts) => {
  let lanes = new Map<string, PushLane>()

  return {
    setTargets: (targets: readonly ObservabilityTarget[]): void => {
      const next = new Map<string, PushLane>()
      for (const target of targets) {
        const key = JSON.stringify(target)
        const known = lanes.get(key)
        const lane = known ?? createPushLane(target, ports)
        next.set(key, lane)
        if (known === undefined) lane.request(FIRST_PUSH)
        else known.retryNow()
      }
      for (const [key, lane] of lanes) if (!next.has(key)) lane.stop()
      lanes = next
    },
    request: (requests: readonly PushRequest[]): void => {
      for (const lane of lanes.values()) for (const request of requests) lane.request(request)
    },
    health: (): TargetHealth[] => [...lanes.values()].map((lane) => lane.health()),
    stop: (): void => {
      for (const lane of lanes.values()) lane.stop()
    },
  }
}
