/** Whether an address shows anything but this tab of the page; the first tab needs no name. */
export const leavesTab = ({ pathname, searchParams }: URL, tab: 'policy' | 'rules'): boolean =>
  pathname !== '/security' || (searchParams.get('tab') ?? 'policy') !== tab
