/** The groups of a process by controller; the unified hierarchy has the empty name. */
export const parseOwnCgroups = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text
      .trim()
      .split('\n')
      .flatMap((line) => {
        const [, controllers, ...path] = line.split(':')
        if (controllers === undefined || path.length === 0) return []
        return controllers.split(',').map((name): [string, string] => [name, path.join(':')])
      }),
  )

/** The mount points of the hierarchies by controller; the unified one has the empty name. */
export const parseCgroupMounts = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text.split('\n').flatMap((line): Array<[string, string]> => {
      const [, place, kind, options = ''] = line.split(' ')
      if (place === undefined) return []
      if (kind === 'cgroup2') return [['', place]]
      if (kind !== 'cgroup') return []
      return options.split(',').map((name) => [name, place])
    }),
  )
