/** A state, a pure function that makes the next one, and views that watch parts of it. Knows nothing of the page. */

export class Store<State, Event> {
  private readonly watchers: (() => void)[] = [];
  private readonly coming: Event[] = [];
  private isBusy = false;

  constructor(
    private now: State,
    private readonly reduce: (state: State, event: Event) => State,
  ) {}

  get state(): State {
    return this.now;
  }

  /** Make the next state and tell those whose part of it changed. An event from a watcher waits for its turn. */
  dispatch(event: Event): void {
    this.coming.push(event);
    if (this.isBusy) return;
    this.isBusy = true;
    try {
      for (let next = this.coming.shift(); next !== undefined; next = this.coming.shift()) {
        this.now = this.reduce(this.now, next);
        for (const tell of this.watchers) tell();
      }
    } finally {
      this.isBusy = false;
    }
  }

  /** Call a function whenever this part of the state is another, in the order in which watchers were added. */
  watch<Part>(select: (state: State) => Part, use: (part: Part) => void): void {
    let before = select(this.now);
    this.watchers.push(() => {
      const part = select(this.now);
      if (Object.is(part, before)) return;
      before = part;
      use(part);
    });
  }
}
