export interface TerminalOwner {
  path: string
  pid: number
  /** As `ps` prints it. */
  started: string
}

/** What `ps` is asked for; the same on Linux and macOS. */
export const PS_ALL = ['ps', '-A', '-o', 'pid=,ppid=,tty=,lstart='] as const

interface Row {
  pid: number
  parent: number
  tty: string
  started: string
}

/**
 * The terminal of a process and its first ancestor there, which lives as long as the tab. Undefined
 * for a process without a terminal.
 */
export const findTerminalOwner = (psOutput: string, pid: number): TerminalOwner | undefined => {
  const rows = new Map(psOutput.split('\n').flatMap(parseRow))
  let row = rows.get(pid)
  // Hosts start hooks without a terminal; the host's own terminal is an ancestor's.
  while (row !== undefined && !isTerminal(row.tty)) row = parentOf(rows, row)
  if (row === undefined) return undefined
  let owner = row
  for (let next = parentOf(rows, owner); next?.tty === owner.tty; next = parentOf(rows, next)) {
    owner = next
  }
  return { path: `/dev/${owner.tty}`, pid: owner.pid, started: owner.started }
}

/** Whether the process is still the same. */
export const isSameOwner = (psOutput: string, owner: TerminalOwner): boolean =>
  psOutput
    .split('\n')
    .flatMap(parseRow)
    .some(
      ([pid, { tty, started }]) =>
        pid === owner.pid && `/dev/${tty}` === owner.path && started === owner.started,
    )

const parseRow = (line: string): Array<[number, Row]> => {
  const [, pid, parent, tty, started] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(\S.*?)\s*$/.exec(line) ?? []
  if (pid === undefined || tty === undefined || started === undefined) return []
  return [[Number(pid), { pid: Number(pid), parent: Number(parent), tty, started }]]
}

const parentOf = (rows: ReadonlyMap<number, Row>, { pid, parent }: Row): Row | undefined =>
  parent === pid ? undefined : rows.get(parent)

const isTerminal = (tty: string): boolean => /^(?:pts\/|tty)\w+$/.test(tty)
