describe('Planted tests without a reason', () => {
  it('skip themselves', function () {
    this.skip();
  });

  it.skip('are marked', () => {});
});
