import { resolvePath } from '../../paths/resolve-path.ts'
import { MARK } from '../marks.ts'
import type { ShellState } from '../shell-state.ts'

const MAX_FILES = 200

/** What the command itself put into files, for the parts that run or read them later. */
export class WrittenFiles {
  private readonly contents = new Map<string, string>()
  private readonly home: string

  constructor(home: string) {
    this.home = home
  }

  contentOf(path: string, state: ShellState): string | undefined {
    if (path === '/dev/null') return ''
    if (/^\/proc\/[^/]+\/environ$/.test(path)) return MARK.secret
    return this.contents.get(path.startsWith('/dev/fd/') ? path : this.resolve(path, state))
  }

  remember(path: string, content: string, state: ShellState): void {
    if (this.contents.size < MAX_FILES) this.contents.set(this.resolve(path, state), content)
  }

  /** The file that a process substitution stands for. */
  attach(content: string): void {
    this.contents.set(`/dev/fd/${MARK.segment}`, content)
  }

  private resolve(path: string, { directories: [directory = '/'] }: ShellState): string {
    return resolvePath(path, resolvePath(directory, '/', this.home), this.home)
  }
}
