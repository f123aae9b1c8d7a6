import { isJsonObject, type JsonObject } from '@steward/contract'
import { z } from 'zod'
import { TERMINALS, type Terminal } from './terminals.ts'

export interface KittyTab {
  kind: 'kitty'
  /** `unix:/run/kitty-4711`: the socket of the kitty instance with the window. */
  listenOn: string
  windowId: string
}

export interface TmuxTab {
  kind: 'tmux'
  socket: string
  /** The server's process id; pane ids restart with a new server. */
  serverPid: string
  pane: string
  terminal: Terminal
}

export interface TtyTab {
  kind: 'tty'
  path: string
  /** The first process of this terminal and its start time; afterwards the device is reused. */
  ownerPid: number
  ownerStarted: string
  terminal: Terminal
}

/**
 * The tab of a session. Each form contains enough to detect that the tab no longer is the same,
 * because ids and device names are reused.
 */
export type TabTarget = KittyTab | TmuxTab | TtyTab

/** Written by hand instead of with a schema, because the hook also uses it and must be fast. */
export const isTabTarget = (value: unknown): value is TabTarget => {
  if (!isJsonObject(value)) return false
  if (value.kind === 'kitty') {
    return isText(value, 'listenOn', /^(?:unix|tcp):\S+$/) && isText(value, 'windowId', /^\d+$/)
  }
  if (!TERMINALS.some((terminal) => terminal === value.terminal)) return false
  if (value.kind === 'tmux') {
    return (
      isText(value, 'socket', /^\//) &&
      isText(value, 'serverPid', /^\d+$/) &&
      isText(value, 'pane', /^%\d+$/)
    )
  }
  return (
    value.kind === 'tty' &&
    isText(value, 'path', /^\/dev\/(?:pts\/\d+|tty\w+)$/) &&
    Number.isSafeInteger(value.ownerPid) &&
    Number(value.ownerPid) > 0 &&
    isText(value, 'ownerStarted', /./)
  )
}

const isText = (fields: JsonObject, key: string, form: RegExp): boolean => {
  const value = fields[key]
  return typeof value === 'string' && form.test(value)
}

export const tabTarget = z.custom<TabTarget>(isTabTarget, 'expected the tab of a terminal')
