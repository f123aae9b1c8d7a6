import { hasFlag, type Program, readArguments, valuesOf } from '../program.ts'
import { writeInto } from './write-into.ts'

const synchronise: Program = (call) => {
  const read = readArguments(
    call.args,
    [
      'e',
      'rsh',
      'exclude',
      'include',
      'filter',
      'f',
      'files-from',
      'P',
      'i',
      'o',
      'F',
      'l',
      'S',
      'J',
      'c',
      'rsync-path',
      'bwlimit',
    ].filter((name) =>
      call.name === 'rsync'
        ? name !== 'P' &&
          name !== 'i' &&
          name !== 'o' &&
          name !== 'l' &&
          name !== 'c' &&
          name !== 'S'
        : true,
    ),
  )
  const isRemote = (path: string) => /^[^/]+:/.test(path)
  const sources = read.operands.slice(0, -1)
  const target = read.operands.at(-1)
  const recursive = call.name === 'rsync' || hasFlag(read, 'r')
  for (const shellCommand of valuesOf(read, 'e', 'rsh')) {
    call.shell.run(shellCommand.split(/\s+/), '', call.state)
  }
  for (const source of sources.filter((path) => !isRemote(path)))
    call.shell.read(source, { recursive })
  if (target === undefined) return ''
  if (isRemote(target)) {
    call.shell.emit({ kind: 'network', program: call.name, target, sends: true })
    return ''
  }
  if (sources.some(isRemote)) {
    call.shell.emit({
      kind: 'network',
      program: call.name,
      target: sources.join(' '),
      sends: false,
    })
  }
  writeInto(call, sources, target)
  const deletes = [...read.flags].some((flag) => flag.startsWith('delete'))
  if (deletes) call.shell.remove(target, { recursive: true })
  return ''
}

/** Programs that copy trees, here or to another machine. */
export const SYNC_PROGRAMS: Record<string, Program> = { rsync: synchronise, scp: synchronise }
