let title = $state('')

/** The title of the shown page; the shell adds how much needs the person. */
export const pageTitle = (): string => title

export const setPageTitle = (of: string): void => {
  title = of
}
