import { hostname } from 'node:os'
import { isAlive, readStartTime } from '@steward/platform'

let made = 0

/** Names a brain in leases: its machine, its process, when that began. */
export const nameBrain = (): string => {
  made += 1
  return `${hostname()} ${process.pid} ${readStartTime(process.pid) ?? '-'} ${made}`
}

/** Whether an owner was of this machine and is no more; of others nobody here can tell. */
export const isDeadOwner = (owner: string): boolean => {
  const [host, pid, startTime] = owner.split(' ')
  if (host !== hostname() || pid === undefined || startTime === undefined || startTime === '-')
    return false
  return !isAlive(Number(pid)) || readStartTime(Number(pid)) !== startTime
}
